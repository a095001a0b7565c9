{{- define "dashboard.name" -}}
{{- $name := .Release.Name -}}
{{- if not (contains "dashboard" $name) }}{{ $name = printf "%s-dashboard" $name }}{{ end -}}
{{- $name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "dashboard.selector" -}}
app.kubernetes.io/name: dashboard-admin
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "dashboard.labels" -}}
{{ include "dashboard.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
dashboard-admin/deployment: {{ .Values.deployment }}
{{- end }}

{{- define "dashboard.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/* What the service and the migrations share. Takes root, env (a dict of variables) and secret (that of DATABASE_URL). */}}
{{- define "dashboard.pod" -}}
{{- $root := .root -}}
{{- with $root.Values -}}
automountServiceAccountToken: false
# Variables such as METRICS_PORT would come from a Service of that name.
enableServiceLinks: false
{{- with .image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: secrets
    projected:
      defaultMode: 0440
      sources:
        - secret:
            name: {{ required "secret.name is required" .secret.name }}
            items:
              {{- range .secret.keys }}
              {{- if not (and (eq . "DATABASE_URL") $.databaseSecret) }}
              - { key: {{ . }}, path: {{ . }} }
              {{- end }}
              {{- end }}
        {{- with $.databaseSecret }}
        - secret:
            name: {{ . }}
            items: [{ key: DATABASE_URL, path: DATABASE_URL }]
        {{- end }}
  {{- if .databaseCa.configMap }}
  - name: database-ca
    configMap:
      name: {{ .databaseCa.configMap }}
      items: [{ key: {{ .databaseCa.key }}, path: ca.crt }]
  {{- end }}
  {{- if .upstreamCa.configMap }}
  - name: upstream-ca
    configMap:
      name: {{ .upstreamCa.configMap }}
      items: [{ key: {{ .upstreamCa.key }}, path: ca.crt }]
  {{- end }}
{{- end }}
{{- end }}

{{- define "dashboard.container" -}}
{{- with .Values -}}
image: {{ include "dashboard.image" $ }}
imagePullPolicy: {{ .image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{ toYaml .resources | nindent 2 }}
volumeMounts:
  - { name: secrets, mountPath: /etc/dashboard/secrets, readOnly: true }
  {{- if .databaseCa.configMap }}
  - { name: database-ca, mountPath: /etc/dashboard/database-ca, readOnly: true }
  {{- end }}
  {{- if .upstreamCa.configMap }}
  - { name: upstream-ca, mountPath: /etc/dashboard/upstream-ca, readOnly: true }
  {{- end }}
env:
  - { name: NODE_ENV, value: production }
  - { name: DEPLOYMENT, value: {{ .deployment }} }
  - { name: HOST, value: {{ .listen | quote }} }
  - { name: PORT, value: {{ .ports.http | quote }} }
  - { name: METRICS_HOST, value: {{ .listen | quote }} }
  - { name: METRICS_PORT, value: {{ .ports.metrics | quote }} }
  {{- if .events.enabled }}
  - { name: EVENTS_HOST, value: {{ .listen | quote }} }
  - { name: EVENTS_PORT, value: {{ .ports.events | quote }} }
  {{- end }}
  # The migrations are a job of their own.
  - { name: MIGRATIONS, value: {{ ternary "wait" "run" .migrations.enabled }} }
  {{- range .secret.keys }}
  - { name: {{ . }}_FILE, value: /etc/dashboard/secrets/{{ . }} }
  {{- end }}
  {{- if .upstreamCa.configMap }}
  - { name: NODE_EXTRA_CA_CERTS, value: /etc/dashboard/upstream-ca/ca.crt }
  {{- end }}
  {{- range $name, $value := .config }}
  - { name: {{ $name }}, value: {{ $value | toString | quote }} }
  {{- end }}
{{- end }}
{{- end }}
