package selector

import (
	"context"
	"fmt"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

func device() Device {
	return Device{Driver: "acc.example.test", Device: &resourceapi.Device{
		Name: "d0",
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"model":                          {StringValue: ptr.To("Z9")},
			"acc.example.test/twin":          {IntValue: ptr.To[int64](1)},
			"twin":                           {IntValue: ptr.To[int64](2)},
			"resource.kubernetes.io/version": {VersionValue: ptr.To("1.2.3")},
		},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("8Gi")}},
	}}
}

func TestMatches(t *testing.T) {
	for _, tc := range []struct {
		expression string
		want       bool
		err        string
	}{
		{`device.driver == "acc.example.test"`, true, ""},
		{`device.attributes["acc.example.test"].model == "Z9"`, true, ""},
		{`device.attributes["acc.example.test"].model == "Z-9"`, false, ""},
		{`device.attributes["acc.example.test"].twin == 1`, true, ""},
		{`device.attributes["resource.kubernetes.io"].version.isGreaterThan(semver("1.2.0"))`, true, ""},
		{`device.capacity["acc.example.test"].memory.compareTo(quantity("4Gi")) > 0`, true, ""},
		{`device.allowMultipleAllocations`, false, ""},
		{`device.attributes["nobody.example.test"].?x.orValue("") == "y"`, false, ""},
		{`device.attributes["acc.example.test"].mode == "shared"`, false, "no such key: mode"},
		{`device.attributes["acc.example.test"].model`, false, "no such overload"},
	} {
		t.Run(tc.expression, func(t *testing.T) {
			p := Compile(tc.expression, Options{Stored: true})
			for range 20 { // often enough for an order of a map to show
				got, err := p.Matches(context.Background(), device())
				if tc.err != "" {
					if err == nil {
						t.Fatal("no error")
					}
					if tc.err == "no such key: mode" && !strings.Contains(err.Error(), tc.err) {
						t.Fatalf("got error %v, want %q", err, tc.err)
					}
					continue
				}
				if err != nil || got != tc.want {
					t.Fatalf("got %v, %v; want %v", got, err, tc.want)
				}
			}
		})
	}
}

func TestCompileError(t *testing.T) {
	for _, tc := range []struct {
		expression   string
		opts         Options
		line, column int
		contains     string
	}{
		{"true &&\n devic.driver == \"x\"", Options{}, 2, 2, "undeclared reference to 'devic'"},
		{`device.allowMultipleAllocations`, Options{}, 1, 7, "undefined field"},
		{`device.driver`, Options{}, 0, 0, "bool"},
		{``, Options{}, 1, 0, "Syntax error"},
	} {
		p := Compile(tc.expression, tc.opts)
		if p.Err == nil {
			t.Errorf("%q compiles", tc.expression)
			continue
		}
		if p.Err.Type != field.ErrorTypeInvalid || p.Err.Line != tc.line || !strings.Contains(p.Err.Message, tc.contains) || strings.Contains(p.Err.Message, "\n") {
			t.Errorf("%q: got %+v", tc.expression, p.Err)
		}
		if tc.column != 0 && p.Err.Column == 0 {
			t.Errorf("%q: no column in %+v", tc.expression, p.Err)
		}
	}
	if p := Compile(`device.allowMultipleAllocations`, Options{ConsumableCapacity: true}); p.Err != nil || p.MaxCost == 0 || p.MaxCost > MaxCost {
		t.Errorf("with the gate: %v, cost %d", p.Err, p.MaxCost)
	}
}

func TestReads(t *testing.T) {
	for _, tc := range []struct {
		expression string
		want       string
	}{
		{`device.driver == "x"`, ""},
		{`device.attributes["a.test"].model == "Z-9"`, `a.test/model == "Z-9" 1:28`},
		{`4 < device.attributes["a.test"]["size"]`, `a.test/size > 4 1:32`},
		{`has(device.attributes["a.test"].m) && device.attributes["a.test"].m`, `a.test/m guarded; a.test/m guarded`},
		{`"m" in device.attributes["a.test"] && device.attributes["a.test"].m == 1`, `a.test/m guarded; a.test/m guarded == 1`},
		{`device.attributes["a.test"].?m.orValue(3) == 3`, `a.test/m guarded`},
		{`device.capacity["a.test"].mem.compareTo(quantity("1Gi")) >= 0`, `capacity a.test/mem`},
		{`device.attributes["a.test"].v.isLessThan(semver("1.0.0"))`, `a.test/v`},
		{`cel.bind(d, device.attributes["a.test"], d.x == 1)`, `a.test/x == 1`},
		{`cel.bind(d, device.attributes["a.test"], has(d.x) && d.x == 1)`, `a.test/x guarded; a.test/x guarded == 1`},
		{`!has(device.attributes["a.test"].m) || device.attributes["a.test"].m == 1`, `a.test/m guarded; a.test/m guarded == 1`},
		{`has(device.attributes["a.test"].m) || device.attributes["a.test"].m == 1`, `a.test/m guarded; a.test/m == 1`},
		{`has(device.attributes["a.test"].m) ? device.attributes["a.test"].m == 1 : device.attributes["a.test"].n == 1`, `a.test/m guarded; a.test/m guarded == 1; a.test/n == 1`},
		{`device.attributes["a.test"].?m.hasValue() && device.attributes["a.test"].m == 1`, `a.test/m guarded; a.test/m guarded == 1`},
		{`has(device.capacity["a.test"].m) && device.attributes["a.test"].m == 1`, `capacity a.test/m guarded; a.test/m == 1`},
	} {
		p := Compile(tc.expression, Options{Stored: true})
		if p.Err != nil {
			t.Errorf("%s: %v", tc.expression, p.Err)
			continue
		}
		var got []string
		withPlace := strings.Contains(tc.want, " 1:")
		for _, r := range p.Reads {
			s := r.Name()
			if r.Capacity {
				s = "capacity " + s
			}
			if r.Guarded {
				s += " guarded"
			}
			if r.Compared != "" {
				s += " " + r.Compared + " " + r.Literal
			}
			if withPlace {
				s += fmt.Sprintf(" %d:%d", r.Line, r.Column)
			}
			got = append(got, s)
		}
		if strings.Join(got, "; ") != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.expression, strings.Join(got, "; "), tc.want)
		}
	}
}

func TestDriver(t *testing.T) {
	for expression, want := range map[string]string{
		`device.driver == "a.test"`:                                                   "a.test",
		`"a.test" == device.driver && device.attributes["a.test"].x == 1`:             "a.test",
		`device.driver in ["a.test"]`:                                                 "a.test",
		`!(device.driver != "a.test" || device.attributes["a.test"].x == 1)`:          "a.test",
		`cel.bind(d, device.driver, true)`:                                            "",
		`device.driver == "a.test" || device.driver == "b.test"`:                      "",
		`device.driver == "a.test" && device.driver == "b.test"`:                      "",
		`device.driver != "a.test"`:                                                   "",
		`device.driver == "a.test" ? true : device.driver == "a.test"`:                "a.test",
		`device.attributes["a.test"].x == "device.driver == 'b.test'"`:                "",
		`(device.driver == "a.test" && true) || (device.driver == "a.test" && false)`: "a.test",
	} {
		if got := Compile(expression, Options{Stored: true}).Driver; got != want {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
}

func TestWants(t *testing.T) {
	for expression, want := range map[string]string{
		`device.attributes["a.test"].x == 1`:                                       "int",
		`device.attributes["a.test"].x >= 1.5`:                                     "int",
		`"1" != device.attributes["a.test"].x`:                                     "string",
		`device.attributes["a.test"].x`:                                            "",
		`!device.attributes["a.test"].x`:                                           "bool",
		`device.attributes["a.test"].x && true`:                                    "bool",
		`device.attributes["a.test"].x in ["1"]`:                                   "string",
		`"1" in device.attributes["a.test"].x`:                                     "string list",
		`device.attributes["a.test"].x.exists(y, y == 1)`:                          " list",
		`device.attributes["a.test"].x == ["a"]`:                                   "string list",
		`device.attributes["a.test"].x.isGreaterThan(semver("1.0.0"))`:             "version",
		`semver("1.0.0").compareTo(device.attributes["a.test"].x) > 0`:             "version",
		`semver(device.attributes["a.test"].x).major() == 1`:                       "string",
		`device.attributes["a.test"].x.isLessThan(quantity("1"))`:                  "quantity",
		`device.attributes["a.test"].x.startsWith("a")`:                            "string",
		`device.attributes["a.test"].?x.orValue("") == "a"`:                        "string",
		`device.attributes["a.test"].x % 2 == 0`:                                   "int",
		`device.attributes["a.test"].x == device.driver`:                           "string",
		`device.attributes["a.test"].x.major() == 1`:                               "version",
		`cel.bind(v, device.attributes["a.test"].x, v == true)`:                    "bool",
		`device.capacity["a.test"].x.compareTo(device.capacity["a.test"].x) == 0`:  "quantity",
		`device.attributes["a.test"].x.includes("a")`:                              "",
		`device.attributes["a.test"].x == device.capacity["a.test"].x.asInteger()`: "int",
	} {
		p := Compile(expression, Options{Stored: true})
		if p.Err != nil || len(p.Reads) == 0 {
			t.Errorf("%s: %v, %v", expression, p.Err, p.Reads)
			continue
		}
		got := string(p.Reads[0].Wants)
		if p.Reads[0].List {
			got += " list"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`device.attributes["a.test"].model == "x"`)
	f.Add(`device.capacity["a.test"].?m.orValue(quantity("1")).compareTo(quantity("2")) > 0`)
	f.Add("[1,2].all(x, x == device.attributes['a.b'].y)")
	d := device()
	f.Fuzz(func(t *testing.T, expression string) {
		if len(expression) > MaxLength {
			return
		}
		p := Compile(expression, Options{Stored: true})
		if p.Err != nil {
			if p.Err.Message == "" {
				t.Fatal("an error without a message")
			}
			return
		}
		_, _ = p.Matches(context.Background(), d)
	})
}
