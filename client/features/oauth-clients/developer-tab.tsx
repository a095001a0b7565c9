import { Code, Stack } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { isObject, text, texts } from '../../../shared/json.ts';
import { discoveryAddress } from '../../../shared/upstreams.ts';
import { clientQuery, type OauthClient } from '../../api/oauth-clients.ts';
import { oauthPublic, request, unreadableResponse } from '../../api/request.ts';
import { shellCommand } from '../../lib/encoding.ts';
import { DEVICE_GRANT } from '../../lib/labels.ts';
import { useRecord } from '../../record/tabs.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { FactList } from '../../ui/facts.tsx';
import { Section } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { documentOf } from './client-draft.ts';
import { usesSecret } from './client-members.ts';
import classes from './oauth-clients.module.css';

export function DeveloperTab() {
  const client = useRecord(clientQuery);
  const discovery = useQuery(discoveryQuery);
  return (
    <Stack gap="md">
      <QueryState
        query={discovery}
        loading={<LoadingRows label="Loading the OpenID configuration" height={240} />}
        title="The OpenID configuration is unavailable"
      >
        {(data) => <FromDiscovery client={client} discovery={data} />}
      </QueryState>
      {/* Waits for the content above, which would push this command down. */}
      {!discovery.isPending && (
        <Command
          title="Copy to another server"
          about="Creates the same client on another OAuth server. Replace the address with that of its admin API. If the client needs a secret, that server generates and returns a new one."
          text={recreateCommand(client)}
        />
      )}
    </Stack>
  );
}

function FromDiscovery({ client, discovery }: { client: OauthClient; discovery: Discovery }) {
  const token = tokenCommand(client, discovery);
  const addresses = [
    ['Issuer', discovery.issuer],
    ['Discovery', discoveryAddress(discovery.issuer)],
    ...ENDPOINTS.map(([label, name]) => [label, discovery[name]] as const),
  ] as const;
  return (
    <>
      <Command
        title="OpenID Connect settings"
        about="Libraries find everything else through the discovery address. Send any secret separately."
        text={JSON.stringify(developerSettings(client, discovery), null, 2)}
      />
      <Section title="Addresses of the OAuth server">
        <FactList
          facts={addresses
            .filter(([, address]) => address !== undefined)
            .map(([name, address]) => [
              name,
              <Code key={name} className={classes.breakable}>
                {address}
              </Code>,
            ])}
        />
      </Section>
      {token !== undefined && <Command {...token} />}
    </>
  );
}

type CommandProps = Record<'title' | 'about' | 'text', string>;

const Command = ({ title, about, text }: CommandProps) => (
  <Section title={title} about={about} actions={<CopyButton what={`“${title}”`} read={() => text} />}>
    <Code block tabIndex={0} role="group" aria-label={title}>
      {text}
    </Code>
  </Section>
);

/** A command that creates the same client on another OAuth server, which generates a new secret if necessary. */
export const recreateCommand = (client: OauthClient): string =>
  shellCommand(
    ['curl', '--fail-with-body', '--request', 'POST', 'https://oauth-admin.example.internal/admin/clients'],
    ['--header', 'Content-Type: application/json'],
    ['--data-raw', JSON.stringify({ client_id: client.client_id, ...documentOf(client) }, null, 2)],
  );

/**
 * A command for a grant of the client that works on a command line; undefined if there is none. To keep the secret out
 * of the shell's history, curl prompts for it, or `read` stores it in a variable.
 */
export function tokenCommand(client: OauthClient, discovery: Discovery): CommandProps | undefined {
  const grants = texts(client.grant_types);
  const method = client.token_endpoint_auth_method;
  if (grants.includes('client_credentials') && discovery.token_endpoint !== undefined && usesSecret(method))
    return {
      title: 'Request a token',
      about:
        'Requests a token as the application would. The command prompts for the secret, to keep it out of the shell’s history.',
      text: clientCredentials(client, discovery.token_endpoint, method === 'client_secret_post'),
    };
  if (grants.includes(DEVICE_GRANT) && discovery.device_authorization_endpoint !== undefined)
    return {
      title: 'Start a device sign-in',
      about:
        'Starts a device sign-in as the application would. The response contains the code and the address for signing in.',
      text: shellCommand(
        ['curl', '--fail-with-body', discovery.device_authorization_endpoint],
        ['--data-urlencode', `client_id=${client.client_id}`],
        ['--data-urlencode', `scope=${text(client.scope)}`],
      ),
    };
  return undefined;
}

/** Reads the secret without echo in any POSIX shell. */
const READ_SECRET = `printf 'Secret: '; stty -echo; read -r CLIENT_SECRET; stty echo`;

function clientCredentials(client: OauthClient, endpoint: string, inForm: boolean): string {
  // Basic authentication form-encodes the credentials (RFC 6749, 2.3.1).
  const id = inForm
    ? ['--data-urlencode', `client_id=${client.client_id}`]
    : ['--user', encodeURIComponent(client.client_id)];
  const command = shellCommand(
    ['curl', '--fail-with-body', endpoint],
    id,
    ['--data-urlencode', 'grant_type=client_credentials'],
    ['--data-urlencode', `scope=${text(client.scope)}`],
    ...texts(client.audience).map((name) => ['--data-urlencode', `audience=${name}`]),
  );
  return inForm ? `${READ_SECRET}\n${command} \\\n  --data-urlencode "client_secret=$CLIENT_SECRET"` : command;
}

/** Settings for an OpenID Connect library, as JSON; the developer fills in the secret. */
function developerSettings(client: OauthClient, discovery: Discovery): Record<string, unknown> {
  const [redirect] = texts(client.redirect_uris);
  const [afterLogout] = texts(client.post_logout_redirect_uris);
  const method = text(client.token_endpoint_auth_method) || 'client_secret_basic';
  return {
    issuer: discovery.issuer,
    discovery: discoveryAddress(discovery.issuer),
    client_id: client.client_id,
    ...(usesSecret(method) ? { client_secret: 'YOUR_CLIENT_SECRET' } : {}),
    token_endpoint_auth_method: method,
    scope: text(client.scope),
    ...(redirect === undefined ? {} : { redirect_uri: redirect, code_challenge_method: 'S256' }),
    ...(afterLogout === undefined ? {} : { post_logout_redirect_uri: afterLogout }),
  };
}

const ENDPOINTS = [
  ['Authorization', 'authorization_endpoint'],
  ['Token', 'token_endpoint'],
  ['Userinfo', 'userinfo_endpoint'],
  ['Keys', 'jwks_uri'],
  ['Logout', 'end_session_endpoint'],
  ['Device authorization', 'device_authorization_endpoint'],
] as const;

/** The OAuth server metadata used here (OpenID Connect Discovery 1.0, 3). */
type Discovery = { issuer: string } & { [name in (typeof ENDPOINTS)[number][1]]?: string };

const DISCOVERY_FRESH_MS = 5 * 60_000;

const discoveryQuery = queryOptions({
  queryKey: ['oauth-discovery'],
  queryFn: async ({ signal }) => {
    const body = await request<unknown>(oauthPublic('/.well-known/openid-configuration'), { signal });
    if (isObject(body) && typeof body.issuer === 'string') {
      const texts = Object.entries(body).filter(([, value]) => typeof value === 'string');
      return Object.fromEntries(texts) as unknown as Discovery;
    }
    throw unreadableResponse('OAuth server', 'its OpenID configuration');
  },
  staleTime: DISCOVERY_FRESH_MS,
  retry: false,
});
