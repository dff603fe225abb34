package validate

// capacityWith is a slice with a shared device and a policy for its capacity
// of 10.
func capacityWith(policy string) string {
	return deviceWith("allowMultipleAllocations: true\ncapacity: {c: {value: 10, requestPolicy: {" + policy + "}}}")
}

const (
	atPolicy  = " spec.devices[0].capacity[c].requestPolicy"
	fractions = "DRAFractionalCapacityRange=true"
)

var policyExamples = []example{
	{name: "values", text: capacityWith("default: 2, validValues: [1, 2, 10]")},
	{name: "range", text: capacityWith("default: 4, validRange: {min: 2, max: 10, step: 2}")},
	{name: "a default alone is not looked at", text: capacityWith("default: 11")},
	{name: "policy of an exclusive device", text: deviceWith("capacity: {c: {value: 10, requestPolicy: {default: 1, validValues: []}}}"), want: []string{
		"api/request-policy-exclusive FieldValueForbidden" + atPolicy}},
	{name: "policy of a device that is not shared", text: deviceWith("allowMultipleAllocations: false\ncapacity: {c: {value: 10, requestPolicy: {default: 1}}}"), want: []string{
		"api/request-policy-exclusive FieldValueForbidden" + atPolicy}},
	{name: "both", text: capacityWith("default: 20, validValues: [1], validRange: {}"), want: []string{
		"api/request-policy-union FieldValueForbidden" + atPolicy}},
	{name: "values without default", text: capacityWith("validValues: [20, 1]"), want: []string{
		"api/request-policy-default FieldValueRequired" + atPolicy + ".default"}},
	{name: "range without default", text: capacityWith("validRange: {}"), want: []string{
		"api/request-policy-default FieldValueRequired" + atPolicy + ".default"}},
	{name: "values in disorder", text: capacityWith("default: 3, validValues: [2, 1, 11, 11]"), want: []string{
		"api/request-policy-values FieldValueInvalid" + atPolicy + ".validValues[1]",
		"api/request-policy-values FieldValueInvalid" + atPolicy + ".validValues[2]",
		"api/request-policy-values FieldValueInvalid" + atPolicy + ".validValues[3]",
		"api/request-policy-values-duplicate FieldValueDuplicate" + atPolicy + ".validValues[3]",
		"api/request-policy-default FieldValueInvalid" + atPolicy + ".validValues"}},
	{name: "too many values", text: capacityWith("default: 1, validValues: [1,1,1,1,1,1,1,1,1,1,1]"), want: []string{
		"api/request-policy-values-max FieldValueTooMany" + atPolicy + ".validValues",
		"api/request-policy-default FieldValueInvalid" + atPolicy + ".validValues"}},
	{name: "values are compared as whole numbers", text: capacityWith("default: 1, validValues: [500m, 1]"), want: []string{
		"api/request-policy-values-duplicate FieldValueDuplicate" + atPolicy + ".validValues[1]"}},
	{name: "or exactly", gates: fractions, text: capacityWith("default: 1, validValues: [500m, 1]")},
	{name: "a negative value that is compared becomes another number", text: capacityWith(`default: 1, validValues: [1, "9223372036854775807", -500m]`), want: []string{
		"api/request-policy-values FieldValueInvalid" + atPolicy + ".validValues[1]",
		"api/request-policy-values FieldValueInvalid" + atPolicy + ".validValues[2]"}},
	{name: "range without min", text: capacityWith("default: 4, validRange: {max: 11, step: 0}"), want: []string{
		"api/request-policy-range FieldValueRequired" + atPolicy + ".validRange.min"}},
	{name: "range in disorder", text: capacityWith("default: 1, validRange: {min: 12, max: 11}"), want: []string{
		"api/request-policy-range FieldValueInvalid" + atPolicy + ".validRange.min",
		"api/request-policy-range FieldValueInvalid" + atPolicy + ".validRange.default",
		"api/request-policy-range FieldValueInvalid" + atPolicy + ".validRange.max",
		"api/request-policy-range FieldValueInvalid" + atPolicy + ".validRange.max"}},
	{name: "default above max", text: capacityWith("default: 9, validRange: {min: 1, max: 8}"), want: []string{
		"api/request-policy-range FieldValueInvalid" + atPolicy + ".validRange.default"}},
	{name: "no step", text: capacityWith("default: 4, validRange: {min: 2, step: 0}"), want: []string{
		"api/request-policy-step FieldValueInvalid" + atPolicy + ".validRange.step"}},
	{name: "large step", text: capacityWith("default: 2, validRange: {min: 2, step: 9}"), want: []string{
		"api/request-policy-step FieldValueInvalid" + atPolicy + ".validRange.step"}},
	{name: "beside the steps", text: capacityWith("default: 3, validRange: {min: 2, max: 9, step: 2}"), want: []string{
		"api/request-policy-step FieldValueInvalid" + atPolicy + ".validRange.step",
		"api/request-policy-step FieldValueInvalid" + atPolicy + ".validRange.step"}},
	{name: "one error for default and max of the same value", text: capacityWith("default: 9, validRange: {min: 2, max: 9, step: 2}"), want: []string{
		"api/request-policy-step FieldValueInvalid" + atPolicy + ".validRange.step"}},
	{name: "fractions are rounded up", text: capacityWith("default: 1500m, validRange: {min: 1, step: 1}")},
	{name: "or counted", gates: fractions, text: capacityWith("default: 1500m, validRange: {min: 1, step: 1}"), want: []string{
		"api/request-policy-step FieldValueInvalid" + atPolicy + ".validRange.step"}},
	{name: "too fine", gates: fractions, text: capacityWith("default: 1, validRange: {min: 1, step: 1u}"), want: []string{
		"api/request-policy-fraction FieldValueInvalid" + atPolicy + ".validRange.step"}},
	{name: "negative", text: capacityWith(`default: "-2", validRange: {min: "-2", step: 1}`), want: []string{
		"api/request-policy-step FieldValueInvalid" + atPolicy + ".validRange.default",
		"api/request-policy-step FieldValueInvalid" + atPolicy + ".validRange.min"}},
	{name: "large", text: capacityWith(`default: 16E, validRange: {min: 1, step: 1}`), want: []string{
		"api/request-policy-step FieldValueInvalid" + atPolicy + ".validRange.default"}},
}
