package bundle

import (
	"fmt"

	"github.com/drawbridge-dra/drawbridge/core/diag"
)

// maxFindings bounds what is reported of one text. Nobody reads more, and a
// text can be made to hold millions.
const maxFindings = 10_000

// sink collects findings.
type sink struct {
	list []diag.Diagnostic
	// strictSeverity is that of unknown and duplicate fields; empty to keep
	// silent.
	strictSeverity diag.Severity
	dropped        int
	droppedErrors  bool
}

func newSink(v FieldValidation) *sink {
	s := &sink{}
	switch v {
	case Ignore:
	case Warn:
		s.strictSeverity = diag.Warning
	default:
		s.strictSeverity = diag.Error
	}
	return s
}

func (s *sink) add(o *Object, finding diag.Diagnostic) {
	if o != nil {
		ref := o.Ref
		finding.Object = &ref
		if finding.Severity == diag.Error {
			o.Invalid = true
		}
	}
	if len(s.list) >= maxFindings {
		s.dropped++
		s.droppedErrors = s.droppedErrors || finding.Severity == diag.Error
		return
	}
	s.list = append(s.list, finding)
}

// finish puts the findings in order, and says when some were left out.
func (s *sink) finish() []diag.Diagnostic {
	diag.Sort(s.list)
	if s.dropped > 0 {
		severity := diag.Warning
		if s.droppedErrors {
			severity = diag.Error
		}
		s.list = append(s.list, diag.Diagnostic{
			Severity: severity,
			Source:   diag.Decode,
			Rule:     "limit",
			Message:  fmt.Sprintf("%d more findings are left out; mend the first %d, then ask again", s.dropped, maxFindings),
		})
	}
	return s.list
}
