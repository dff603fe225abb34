package selector

import (
	"context"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// having and lacking are the two devices that rewritten expressions are tried
// on: only the first has what they read.
func having() Device {
	return Device{Driver: "a.test", Device: &resourceapi.Device{
		Name: "d0",
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"x":    {IntValue: ptr.To[int64](1)},
			"name": {StringValue: ptr.To("Z9")},
			"flag": {StringValue: ptr.To("true")},
			"text": {StringValue: ptr.To("1.3.0")},
			"ver":  {VersionValue: ptr.To("1.2.3")},
			"list": {StringValues: []string{"a", "b"}},
			"on":   {BoolValue: ptr.To(true)},
		},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"m": {Value: resource.MustParse("8Gi")}},
	}}
}

func lacking() Device { return Device{Driver: "b.test", Device: &resourceapi.Device{Name: "d1"}} }

// tried compiles what was rewritten and says what it gives on both devices.
func tried(t *testing.T, expression string) (has, lacks string) {
	t.Helper()
	for _, opts := range []Options{{Stored: true}, {ConsumableCapacity: true, ListAttributes: true}} {
		if p := Compile(expression, opts); p.Err != nil {
			t.Errorf("%s does not compile: %v", expression, p.Err)
		}
	}
	p := Compile(expression, Options{Stored: true})
	results := map[bool]string{true: "yes", false: "no"}
	outcome := func(d Device) string {
		ok, err := p.Matches(context.Background(), d)
		if err != nil {
			return "error"
		}
		return results[ok]
	}
	return outcome(having()), outcome(lacking())
}

func TestRewrite(t *testing.T) {
	first := func(p *Program) Read { return p.Reads[0] }
	guard := func(p *Program) (string, bool) { return p.Guard(first(p)) }
	forDriver := func(p *Program) (string, bool) { return p.ForDriver("a.test") }
	convert := func(kind Kind, list bool) func(p *Program) (string, bool) {
		return func(p *Program) (string, bool) { return p.Convert(first(p), kind, list) }
	}
	rename := func(capacity bool, domain, id string) func(p *Program) (string, bool) {
		return func(p *Program) (string, bool) { return p.Rename(first(p), capacity, domain, id) }
	}
	replace := func(p *Program) (string, bool) {
		return p.Replace(p.Invalid[0], Nearest(p.Invalid[0].Function, p.Invalid[0].Text))
	}
	for _, tc := range []struct {
		from string
		do   func(p *Program) (string, bool)
		// want is "" where nothing can be offered.
		want string
		// then is what comes out for a device that has what is read, and for
		// one that has not.
		then string
	}{
		{`device.attributes["a.test"].x == 1`, guard, `has(device.attributes["a.test"].x) && device.attributes["a.test"].x == 1`, "yes no"},
		{`device.driver != "q" && (device.attributes["a.test"]["x"] == 2 || device.driver == "b.test")`, guard,
			`device.driver != "q" && (has(device.attributes["a.test"].x) && device.attributes["a.test"]["x"] == 2 || device.driver == "b.test")`, "no yes"},
		{`!(device.attributes["a.test"].x == 2)`, guard, `!(has(device.attributes["a.test"].x) && device.attributes["a.test"].x == 2)`, "yes yes"},
		{`device.attributes["a.test"].on`, guard, `has(device.attributes["a.test"].on) && device.attributes["a.test"].on`, "yes no"},
		{`device.attributes["a.test"].list.exists(e, e == "a")`, guard,
			`has(device.attributes["a.test"].list) && device.attributes["a.test"].list.exists(e, e == "a")`, "yes no"},
		{`cel.bind(d, device.attributes["a.test"], d.x == 1)`, guard,
			`has(device.attributes["a.test"].x) && cel.bind(d, device.attributes["a.test"], d.x == 1)`, "yes no"},
		{`device.capacity["a.test"].m.compareTo(quantity("4Gi")) > 0`, guard,
			`has(device.capacity["a.test"].m) && device.capacity["a.test"].m.compareTo(quantity("4Gi")) > 0`, "yes no"},

		{`device.attributes["a.test"].x == 1`, forDriver, `device.driver == "a.test" && device.attributes["a.test"].x == 1`, "yes no"},
		{`device.attributes["a.test"].x == 1 || true`, forDriver, `device.driver == "a.test" && (device.attributes["a.test"].x == 1 || true)`, "yes no"},

		{`device.attributes["a.test"].x == "1"`, convert(Int, false), `device.attributes["a.test"].x == 1`, "yes error"},
		{`"9" != device.attributes["a.test"].x`, convert(Int, false), `9 != device.attributes["a.test"].x`, "yes error"},
		{`device.attributes["a.test"].x == "one"`, convert(Int, false), ``, ""},
		{`device.attributes["a.test"].x in ["1", "2"]`, convert(Int, false), `device.attributes["a.test"].x in [1, 2]`, "yes error"},
		{`device.attributes["a.test"].flag == true`, convert(String, false), `device.attributes["a.test"].flag == "true"`, "yes error"},
		{`device.attributes["a.test"].on == "true"`, convert(Bool, false), `device.attributes["a.test"].on == true`, "yes error"},
		{`device.attributes["a.test"].ver == "1.2.3"`, convert(Version, false), `device.attributes["a.test"].ver == semver("1.2.3")`, "yes error"},
		{`device.attributes["a.test"].ver >= "v1.2"`, convert(Version, false), `device.attributes["a.test"].ver.compareTo(semver("1.2.0")) >= 0`, "yes error"},
		{`"1.3" > device.attributes["a.test"].ver`, convert(Version, false), `device.attributes["a.test"].ver.isLessThan(semver("1.3.0"))`, "yes error"},
		{`device.attributes["a.test"].text.isGreaterThan(semver("1.2.0"))`, convert(String, false), `semver(device.attributes["a.test"].text).isGreaterThan(semver("1.2.0"))`, "yes error"},
		{`device.attributes["a.test"].list == "a"`, convert(String, true), `"a" in device.attributes["a.test"].list`, "yes error"},
		{`device.attributes["a.test"].list != "c"`, convert(String, true), `!("c" in device.attributes["a.test"].list)`, "yes error"},
		{`"Z9" in device.attributes["a.test"].name`, convert(String, false), `device.attributes["a.test"].name == "Z9"`, "yes error"},
		{`device.attributes["a.test"].list.exists(e, e == "a")`, convert(String, false), ``, ""},

		{`device.attributes["a.test"].nmae == "Z9" && has(device.attributes["a.test"].nmae)`, rename(false, "a.test", "name"),
			`device.attributes["a.test"].name == "Z9" && has(device.attributes["a.test"].name)`, "yes no"},
		{`device.attributes["a-test"].x == 1`, rename(false, "a.test", "x"), `device.attributes["a.test"].x == 1`, "yes error"},
		{`device.attributes["a.test"].m.isGreaterThan(quantity("1"))`, rename(true, "a.test", "m"), `device.capacity["a.test"].m.isGreaterThan(quantity("1"))`, "yes error"},
		{`cel.bind(d, device.attributes["a.test"], d.y == 1)`, rename(false, "a.test", "x"), ``, ""},

		{`device.attributes["a.test"].ver.isGreaterThan(semver("v1.2"))`, replace, `device.attributes["a.test"].ver.isGreaterThan(semver("1.2.0"))`, "yes error"},
		{`device.capacity["a.test"].m.isLessThan(quantity("10 GB"))`, replace, `device.capacity["a.test"].m.isLessThan(quantity("10G"))`, "yes error"},
		{`["8GiB"].exists(q, quantity("8GiB") == device.capacity["a.test"].m)`, replace, `["8GiB"].exists(q, quantity("8Gi") == device.capacity["a.test"].m)`, "yes error"},
	} {
		p := Compile(tc.from, Options{Stored: true})
		if p.Err != nil {
			t.Errorf("%s: %v", tc.from, p.Err)
			continue
		}
		got, ok := tc.do(p)
		if ok != (tc.want != "") || got != tc.want && ok {
			t.Errorf("%s\n got %s (%v)\nwant %s", tc.from, got, ok, tc.want)
			continue
		}
		if !ok {
			continue
		}
		has, lacks := tried(t, got)
		if has+" "+lacks != tc.then {
			t.Errorf("%s gives %s %s, want %s", got, has, lacks, tc.then)
		}
	}
}

func TestMend(t *testing.T) {
	for _, tc := range []struct{ from, want, then string }{
		{`device.capacity["a.test"].m == "8Gi"`, `device.capacity["a.test"].m == quantity("8Gi")`, "yes error"},
		{`device.capacity["a.test"].m > "4Gi"`, `device.capacity["a.test"].m.isGreaterThan(quantity("4Gi"))`, "yes error"},
		{`device.capacity["a.test"].m >= quantity("8Gi")`, `device.capacity["a.test"].m.compareTo(quantity("8Gi")) >= 0`, "yes error"},
		{`quantity("8Gi") <= device.capacity["a.test"].m`, `device.capacity["a.test"].m.compareTo(quantity("8Gi")) >= 0`, "yes error"},
		{`4 < device.capacity["a.test"].m`, `device.capacity["a.test"].m.isGreaterThan(quantity("4"))`, "yes error"},
		{`device.capacity["a.test"].m.isGreaterThan("4GB")`, `device.capacity["a.test"].m.isGreaterThan(quantity("4G"))`, "yes error"},
		{`device.capacity["a.test"].m.compareTo(quantity("8Gi"))`, `device.capacity["a.test"].m.compareTo(quantity("8Gi")) >= 0`, "yes error"},
		{`device.attributes["a.test"].ver > semver("1.0.0")`, `device.attributes["a.test"].ver.isGreaterThan(semver("1.0.0"))`, "yes error"},
		{`device.attributes["a.test"].ver.isLessThan("2.0")`, `device.attributes["a.test"].ver.isLessThan(semver("2.0.0"))`, "yes error"},
		{`["x"].all(q, device.capacity["a.test"].m > "4Gi")`, `["x"].all(q, device.capacity["a.test"].m.isGreaterThan(quantity("4Gi")))`, "yes error"},
		// Something else is wrong with these.
		{`device.capacity["a.test"].m > "lots"`, ``, ""},
		{`devic.capacity["a.test"].m > "4Gi"`, ``, ""},
		{`device.driver`, ``, ""},
		{`device.capacity[`, ``, ""},
		{`1 > "a"`, ``, ""},
	} {
		if p := Compile(tc.from, Options{}); p.Err == nil {
			t.Errorf("%s compiles", tc.from)
		}
		advice, got, ok := Mend(tc.from, Options{})
		if ok != (tc.want != "") || ok && got != tc.want {
			t.Errorf("%s\n got %s (%v)\nwant %s", tc.from, got, ok, tc.want)
			continue
		}
		if !ok {
			continue
		}
		if advice == "" || strings.HasSuffix(advice, ".") {
			t.Errorf("%s: advice %q", tc.from, advice)
		}
		if has, lacks := tried(t, got); has+" "+lacks != tc.then {
			t.Errorf("%s gives %s %s, want %s", got, has, lacks, tc.then)
		}
	}
}
