{{- /*
The objects stand in manifests/, which kustomize reads as well. A template
reads one of them, puts the values in and writes it.
*/ -}}
{{- define "drawbridge.labels" -}}
app.kubernetes.io/name: drawbridge
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- /* drawbridge.object: dict root, file -> the object in this release's namespace, as YAML. */ -}}
{{- define "drawbridge.object" -}}
{{- $o := .root.Files.Get (printf "manifests/%s.yaml" .file) | fromYaml -}}
{{- if hasKey $o "Error" -}}{{- fail (printf "manifests/%s.yaml: %s" .file $o.Error) -}}{{- end -}}
{{- if hasKey $o.metadata "namespace" -}}{{- $_ := set $o.metadata "namespace" .root.Release.Namespace -}}{{- end -}}
{{- range (default list (get $o "subjects")) -}}{{- $_ := set . "namespace" $.root.Release.Namespace -}}{{- end -}}
{{- $_ := set $o.metadata "labels" (merge (include "drawbridge.labels" .root | fromYaml) (default dict (get $o.metadata "labels"))) -}}
{{- toYaml $o -}}
{{- end -}}

{{- /* drawbridge.webhooks: a configuration with the values that both have. */ -}}
{{- define "drawbridge.webhooks" -}}
{{- $v := .root.Values -}}
{{- $o := include "drawbridge.object" . | fromYaml -}}
{{- range $o.webhooks -}}
{{- if hasPrefix "objects." .name -}}{{- $_ := set . "failurePolicy" $v.failurePolicy -}}{{- end -}}
{{- $_ := set . "timeoutSeconds" $v.timeoutSeconds -}}
{{- $_ := set .clientConfig.service "namespace" $.root.Release.Namespace -}}
{{- if eq $v.certificates.mode "files" -}}
{{- $_ := set .clientConfig "caBundle" (required "certificates.caBundle: the PEM of the authority that signed the certificate in certificates.secretName" $v.certificates.caBundle | b64enc) -}}
{{- end -}}
{{- $others := index .namespaceSelector.matchExpressions 0 -}}
{{- $_ := set $others "values" (concat (list "kube-system" $.root.Release.Namespace) $v.excludedNamespaces | uniq) -}}
{{- if $v.onlyNamespaces -}}
{{- $these := dict "key" $others.key "operator" "In" "values" $v.onlyNamespaces -}}
{{- $_ := set .namespaceSelector "matchExpressions" (list $others $these) -}}
{{- end -}}
{{- end -}}
{{- if eq $v.certificates.mode "certManager" -}}
{{- $_ := set $o.metadata "annotations" (dict "cert-manager.io/inject-ca-from" (printf "%s/drawbridge" .root.Release.Namespace)) -}}
{{- end -}}
{{- toYaml $o -}}
{{- end -}}
