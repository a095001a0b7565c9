import type { OauthClient } from '../../../api/oauth-client-record.ts';
import { DEVICE_GRANT } from '../../../format/grant.ts';
import { shellCommand } from '../../../lib/shell-quoted.ts';
import { listMember, textMember, usesSecret } from '../client-members.ts';
import { documentOf } from '../form/client-document.ts';
import type { Discovery } from './discovery-query.ts';

/** Creates the same client on another OAuth server, which generates a new secret and returns it. */
export function recreateCommand(client: OauthClient): string {
  return shellCommand(
    ['curl', '--fail-with-body', '--request', 'POST', 'https://oauth-admin.example.internal/admin/clients'],
    ['--header', 'Content-Type: application/json'],
    ['--data-raw', JSON.stringify({ client_id: client.client_id, ...documentOf(client) }, null, 2)],
  );
}

/**
 * Requests tokens as the application would, with the first of its grants that works on a command line; undefined if there
 * is none. The secret is not part of the command, to keep it out of the shell's history: curl prompts for it, or it is
 * read into a variable.
 */
export function tokenCommand(client: OauthClient, discovery: Discovery): string | undefined {
  const grants = listMember(client, 'grant_types');
  const method = client.token_endpoint_auth_method;
  if (grants.includes('client_credentials') && discovery.token_endpoint !== undefined && usesSecret(method))
    return clientCredentials(client, discovery.token_endpoint, method === 'client_secret_post');
  if (grants.includes(DEVICE_GRANT) && discovery.device_authorization_endpoint !== undefined)
    return shellCommand(
      ['curl', '--fail-with-body', discovery.device_authorization_endpoint],
      ['--data-urlencode', `client_id=${client.client_id}`],
      ['--data-urlencode', `scope=${textMember(client, 'scope')}`],
    );
  return undefined;
}

/** Without echo, in any POSIX shell. */
const READ_SECRET = `printf 'Secret: '; stty -echo; read -r CLIENT_SECRET; stty echo`;

function clientCredentials(client: OauthClient, endpoint: string, inForm: boolean): string {
  const audience = listMember(client, 'audience').map((name) => ['--data-urlencode', `audience=${name}`]);
  const rest = [
    ['--data-urlencode', 'grant_type=client_credentials'],
    ['--data-urlencode', `scope=${textMember(client, 'scope')}`],
    ...audience,
  ];
  if (!inForm) {
    // Basic authentication takes form-encoded credentials (RFC 6749, 2.3.1).
    const user = encodeURIComponent(client.client_id);
    return shellCommand(['curl', '--fail-with-body', endpoint], ['--user', user], ...rest);
  }
  const command = shellCommand(
    ['curl', '--fail-with-body', endpoint],
    ['--data-urlencode', `client_id=${client.client_id}`],
    ...rest,
  );
  return `${READ_SECRET}\n${command} \\\n  --data-urlencode "client_secret=$CLIENT_SECRET"`;
}
