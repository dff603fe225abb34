package diag

const (
	fieldValidationDoc = "https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation"
	apiVersioningDoc   = "https://kubernetes.io/docs/reference/using-api/#api-versioning"
	apiGroupsDoc       = "https://kubernetes.io/docs/reference/using-api/#enabling-or-disabling"
)

// decodeRules are the rules with source "decode".
var decodeRules = []Rule{
	{ID: "encoding", Source: Decode, Severity: Error, Doc: "The text must be UTF-8 without control characters.", Reference: "https://yaml.org/spec/1.2.2/#51-character-set"},
	{ID: "limit", Source: Decode, Severity: Error, Doc: "The text must stay within the limits on bytes, documents, objects, nesting and expanded values."},
	{ID: "empty", Source: Decode, Severity: Warning, Doc: "The text should hold at least one object."},
	{ID: "not-yaml", Source: Decode, Severity: Error, Doc: "The text must be YAML or JSON, not HTML, Markdown, a table or an error message."},
	{ID: "yaml-syntax", Source: Decode, Severity: Error, Doc: "A YAML document must follow YAML's grammar.", Reference: "https://yaml.org/spec/1.2.2/"},
	{ID: "json-syntax", Source: Decode, Severity: Error, Doc: "A JSON document must follow JSON's grammar.", Reference: "https://www.rfc-editor.org/rfc/rfc8259"},
	{ID: "yaml-value", Source: Decode, Severity: Error, Doc: "A YAML value must be one that JSON can hold: no infinite numbers, no lists or maps as keys, no value that contradicts its tag.", Reference: "YAMLToJSON"},
	{ID: "yaml-alias", Source: Decode, Severity: Error, Doc: "A YAML alias must not stand inside the value that it stands for.", Reference: "https://yaml.org/spec/1.2.2/#71-alias-nodes"},
	{ID: "boolean-key", Source: Decode, Severity: Warning, Doc: "An unquoted key that YAML 1.1 reads as true or false, such as on or y, should be quoted.", Reference: "https://yaml.org/type/bool.html"},
	{ID: "document-separator", Source: Decode, Severity: Error, Doc: "YAML documents must be separated by a line of exactly three ASCII hyphens.", Reference: "https://yaml.org/spec/1.2.2/#912-document-markers"},
	{ID: "not-an-object", Source: Decode, Severity: Error, Doc: "Every document must be an object: a map with apiVersion, kind and metadata, or a list of such maps.", Reference: "https://kubernetes.io/docs/concepts/overview/working-with-objects/#required-fields"},
	{ID: "api-version-required", Source: Decode, Severity: Error, Doc: "An object must have an apiVersion.", Reference: apiVersioningDoc},
	{ID: "kind-required", Source: Decode, Severity: Error, Doc: "An object must have a kind.", Reference: apiVersioningDoc},
	{ID: "unknown-kind", Source: Decode, Severity: Error, Doc: "The kind must be one that the API group has.", Reference: apiVersioningDoc},
	{ID: "unknown-version", Source: Decode, Severity: Error, Doc: "The API version must be one in which the chosen Kubernetes version has the kind.", Reference: apiVersioningDoc},
	{ID: "version-not-served", Source: Decode, Severity: Warning, Doc: "The API version should be one that the API server answers for by default.", Reference: apiGroupsDoc},
	{ID: "ignored-kind", Source: Decode, Severity: Info, Doc: "Objects of kinds that do not matter to DRA are not looked at."},
	{ID: "unknown-field", Source: Decode, Severity: Error, Doc: "A field must be one that the kind has in that API version.", Reference: fieldValidationDoc},
	{ID: "duplicate-field", Source: Decode, Severity: Error, Doc: "A key must stand in a map only once.", Reference: fieldValidationDoc},
	{ID: "wrong-type", Source: Decode, Severity: Error, Doc: "A value must be of the type that its field has.", Reference: "UnmarshalStrict"},
	{ID: "obsolete-kind", Source: Decode, Severity: Info, Doc: "A kind that only Kubernetes 1.26 to 1.31 had is explained: what it was for and what replaces it.", Reference: "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/3063-dynamic-resource-allocation"},
	{ID: "obsolete-field", Source: Decode, Severity: Warning, Doc: "A field of v1alpha1 to v1alpha3 for allocation by a driver's own controller, or for the first structured parameters, has no meaning since Kubernetes 1.32.", Reference: "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/3063-dynamic-resource-allocation"},
}
