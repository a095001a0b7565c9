#!/bin/sh
# sh make-secrets.sh customer: random secrets for compose.yaml in secrets/customer, which are never replaced.
set -eu
folder="$(dirname "$0")/secrets/${1:?customer or workforce}"
if [ -e "$folder" ]; then
  echo "$folder exists already" >&2
  exit 1
fi
umask 077
mkdir -p "$folder"
random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
for name in session_signing_key encryption_key admin_key events_key database_password; do
  random 32 > "$folder/$name"
done
printf 'mysql://dashboard:%s@database/dashboard' "$(cat "$folder/database_password")" > "$folder/database_url"
cat > "$folder/ory.env" <<END
SECRETS_SYSTEM=$(random 32)
SECRETS_COOKIE=$(random 32)
SECRETS_CIPHER=$(random 16)
COOKIE_SECRET=$(random 16)
CSRF_COOKIE_SECRET=$(random 16)
TRACING_PROVIDERS_OTLP_AUTHORIZATION_HEADER=Bearer $(cat "$folder/events_key")
END
# Their readers in the containers are other users.
chmod 644 "$folder"/session_signing_key "$folder"/encryption_key "$folder"/database_url "$folder"/admin_key "$folder"/events_key "$folder"/database_password
