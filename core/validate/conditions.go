package validate

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	longestReason  = 1 << 10
	longestMessage = 32 << 10
)

// conditions checks the conditions of a status.
func (c *checker) conditions(list []metav1.Condition, at *path) {
	for i := range list {
		c.condition(&list[i], at.at(i))
	}
	unique(list, func(e metav1.Condition) string { return e.Type }, func(i int) {
		p := duplicate("condition-duplicate", list[i].Type, "condition")
		p.focus = at.at(i).child("type")
		again := at.at(i)
		if !c.does(conditionsRequired) {
			// The requests of 1.36 have a declared rule that is right; it does
			// not look into a list that is too long.
			if len(list) <= poolRequestConditions {
				c.std(again, p)
			}
			again = again.child("type")
		}
		c.hand(again, p)
	})
}

func (c *checker) condition(e *metav1.Condition, at *path) {
	subject := "condition " + quote(e.Type)
	if e.Type == "" {
		p := required("condition-type", "the condition has no type; name what it says something about, such as Ready")
		if !c.does(conditionsRequired) {
			p.kind = field.ErrorTypeInvalid
		}
		c.hand(at.child("type"), p)
	} else {
		c.hand(at.child("type"), labelKey("condition-type", "condition type", e.Type)...)
	}
	switch e.Status {
	case metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown:
	case "":
		p := required("condition-status", subject+" has no status; write True, False or Unknown")
		if !c.does(conditionsRequired) {
			p.kind = field.ErrorTypeNotSupported
		}
		c.hand(at.child("status"), p)
	default:
		c.hand(at.child("status"), oneOf("condition-status", string(e.Status), "status", "True", "False", "Unknown"))
	}
	if n := e.ObservedGeneration; n < 0 {
		c.hand(at.child("observedGeneration"), invalid("condition-generation", strconv.FormatInt(n, 10),
			subject+" has observedGeneration "+strconv.FormatInt(n, 10)+", it may not be negative; copy metadata.generation"))
	}
	if e.LastTransitionTime.IsZero() {
		c.hand(at.child("lastTransitionTime"), required("condition-time", subject+" has no lastTransitionTime; write when its status last changed"))
	}
	const rule = "condition-reason"
	if e.Reason == "" {
		c.hand(at.child("reason"), required(rule, subject+" has no reason; write one word, such as DriverReady"))
	} else {
		if !isReason(e.Reason) {
			c.hand(at.child("reason"), invalid(rule, e.Reason, badName("reason", e.Reason, `letters, digits, "_", "," and ":", with a letter at the start and no "," or ":" at the end`)))
		}
		if len(e.Reason) > longestReason {
			c.hand(at.child("reason"), tooLong(rule, e.Reason, "reason", longestReason))
		}
	}
	if len(e.Message) > longestMessage {
		c.hand(at.child("message"), tooLong("condition-message", e.Message, "message", longestMessage))
	}
}

// manyConditions reports a list of conditions that is too long.
func (c *checker) manyConditions(who passes, list []metav1.Condition, limit int, at *path) {
	if n := len(list); n > limit {
		p := tooMany("conditions-max", n, limit, "condition", "sum up what belongs together in one condition")
		p.message = "the status " + p.message
		c.add(who, at, p)
	}
}

// isReason tells whether s starts with a letter, goes on with letters, digits
// and the signs "_", "," and ":", and ends with none of the last two.
func isReason(s string) bool {
	letter := func(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
	if s == "" || !letter(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !alnum(s[i]) && s[i] != '_' && s[i] != ',' && s[i] != ':' {
			return false
		}
	}
	last := s[len(s)-1]
	return last != ',' && last != ':'
}

// least reports a number that is too small, or not there although it must be.
func (c *checker) least(rule, noun string, n *int32, least int64, must bool, at *path) {
	switch {
	case n == nil && must:
		c.std(at, required(rule, noun+" is missing; write the number, even if it is "+strconv.FormatInt(least, 10)))
	case n != nil && int64(*n) < least:
		text := strconv.FormatInt(int64(*n), 10)
		c.std(at, problem{rule: rule, kind: field.ErrorTypeInvalid, value: text,
			message: noun + " is " + text + ", it must be " + strconv.FormatInt(least, 10) + " or more; count again"})
	}
}
