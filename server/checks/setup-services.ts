import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, membersOf, text, texts } from '../../shared/json.ts';
import { CLIENTS_PATH, IDENTITIES_PATH, upstreamPrefix } from '../../shared/upstreams.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Config, OpenidProvider, OperatorsApi } from '../config/config.ts';
import { isLoopbackAddress } from '../networks.ts';
import { dashboardClient, operatorSchema } from '../registration.ts';
import { type AdminClientOptions, adminClient } from '../upstream/admin-client.ts';
import { failureOf, failureOfStatus, UpstreamFailure } from '../upstream/failure.ts';
import { storedIdentity } from '../upstream/identity-store.ts';
import type { Finding } from './check.ts';
import { openidProvider, registration } from './openid-provider.ts';
import { anyAdministrator, canHaveRole, isAdministrator, operatorSchemas } from './operators.ts';
import { byHand, ok, SetupFailed, type Step, toDo, write } from './setup-storage.ts';
import { clientDeviations } from './sign-in.ts';
import { causeOf, type NamedApi } from './upstreams.ts';

type Auth = Config['auth'];

export type AdminApi = ReturnType<typeof adminApi>;

/** A record lists at most so many members. */
const MAX_CHANGED = 20;

/** Reads from and writes to an admin API of Kratos or Hydra. Writes are recorded in the audit trail. */
export function adminApi(
  { key, keyVariable, upstream, urlVariable }: OperatorsApi,
  options: AdminClientOptions,
  audit: Pick<AuditTrail, 'record'>,
) {
  const client = adminClient(options);
  const named: NamedApi = {
    ...{ name: `the API at ${urlVariable}`, urlVariable },
    giveKey:
      key === undefined && upstream !== undefined
        ? `give the right one with --key ${upstream}=FILE`
        : `set ${keyVariable} to its key`,
  };
  /** The target in audit records: the upstream's prefix, or the variable of a service that is not an upstream. */
  const prefix = upstream === undefined ? urlVariable : upstreamPrefix(upstream);
  /** @throws SetupFailed with what a failure means, and what to do about it */
  const explain = (error: unknown): never => {
    throw new SetupFailed(causeOf(failureOf(error), named).join(' '));
  };

  return {
    /** @returns undefined if it does not exist @throws SetupFailed */
    read: (path: string): Promise<unknown> =>
      client.get(path).then(
        ({ body }) => body,
        (error) => {
          const { status, text = '' } = failureOf(error).response ?? {};
          return status === 404 && !isPage(text) ? undefined : explain(error);
        },
      ),

    /** @throws SetupFailed if the first pages cannot be read */
    anyAdministrator: (auth: Auth): Promise<Finding> => anyAdministrator(client, auth).catch(explain),

    /** @returns status and JSON of a success or of 400, 404 or 409 @throws SetupFailed */
    async write(method: 'POST' | 'PUT', path: string, body: object): Promise<{ status: number; json: unknown }> {
      const response = await client.send(path, {}, method, body).catch(failureOf);
      const status = 'kind' in response ? null : response.status;
      const json = 'kind' in response ? undefined : attempt(() => JSON.parse(response.text));
      const { id, client_id: clientId } = membersOf(json);
      const created = text(clientId ?? id);
      const target = `${prefix}${path}`;
      const location = `${target}/${encodeURIComponent(created)}`;
      // Pointers, as in the records of the proxies; no member of these bodies has to be escaped.
      const changed = Object.keys(body)
        .slice(0, MAX_CHANGED)
        .map((member) => `/${member}`);
      await audit.record({
        action: 'proxy_write',
        actor: 'command-line',
        target,
        details: { method, status, peer: null, changed, ...(status === 201 && created !== '' && { location }) },
      });
      if ('kind' in response) return explain(response);
      if (!WRITTEN.includes(response.status)) return explain(failureOfStatus(response));
      if (isPage(response.text)) return explain(new UpstreamFailure('nonsense', { response }));
      return { status: response.status, json };
    },
  };
}

const WRITTEN = [200, 201, 400, 404, 409];

/** Whether it is no JSON: the page of a gateway, which does not show what exists. */
const isPage = (body: string): boolean => body !== '' && attempt(() => JSON.parse(body)) === undefined;

/** Creates the dashboard's public client at Hydra, or changes the members that differ; other members stay unchanged. */
export const oauthClientStep = ({ auth, baseUrl }: Pick<Config, 'auth' | 'baseUrl'>, api: AdminApi): Step => ({
  title: 'OAuth 2.0 client',
  async look() {
    const wanted = dashboardClient(auth.clientId, baseUrl);
    const path = `${CLIENTS_PATH}/${encodeURIComponent(auth.clientId)}`;
    const found = await api.read(path);
    const send = async (method: 'POST' | 'PUT', to: string, body: object, success: number): Promise<undefined> => {
      const { status } = await api.write(method, to, body);
      if (status === success) return;
      throw new SetupFailed(
        status === 409
          ? 'The client was created in the meantime: run this again.'
          : `${auth.oauthAdmin.urlVariable} responds with ${status}.`,
      );
    };
    if (found === undefined)
      return toDo(`Create the client ${auth.clientId}`, () => send('POST', CLIENTS_PATH, wanted, 201));
    const present = membersOf(found);
    const correct: Record<string, unknown> = { ...wanted, userinfo_signed_response_alg: 'none' };
    const differing = new Set(clientDeviations(present, wanted).map(({ member }) => member));
    if (differing.size === 0) return ok(`The client ${auth.clientId} is configured correctly.`);
    const changes = Object.fromEntries([...differing].map((name) => [name, correct[name]]));
    return toDo(
      `Change the client ${auth.clientId}`,
      // What differs comes first, since the audit record lists only the first members.
      () => send('PUT', path, { ...changes, ...present, ...changes }, 200),
      [...differing].map(
        (name) => `${name}: ${JSON.stringify(present[name] ?? null)} → ${JSON.stringify(correct[name])}`,
      ),
    );
  },
});

/** Checks the OpenID provider, and prints what to register there, which only its administrator can do. */
export const providerStep = (config: Pick<Config, 'auth' | 'baseUrl'>, provider: OpenidProvider): Step => ({
  title: 'OpenID provider',
  async look() {
    const { status, detail, action, commands = [] } = await openidProvider(provider);
    if (status === 'fail') throw new SetupFailed([detail, action, ...commands].join(' '));
    return { ...ok('It responds. Register the dashboard there:'), lines: registration(config, provider) };
  },
});

/** Checks for a schema whose identities can be administrators. Only Kratos' configuration can add one. */
export const schemaStep = (auth: Auth, envFile: string): Step => ({
  title: 'Schema of operators',
  async look() {
    const id = await schemaOfAdministrators(auth);
    if (id !== undefined) return ok(`Identities of the schema ${id} can be administrators.`);
    const file = join(dirname(envFile), 'operator.schema.json');
    const name = Array.isArray(auth.operatorSchemaIds) ? auth.operatorSchemaIds[0] : 'operator';
    return byHand(
      `The operators’ store has no schema ${name}${auth.roleFrom === 'traits.role' ? ' with a trait “role” that can be admin' : ''}.`,
      [
        `Copy ${file} to where Kratos can read it, add it to Kratos’ configuration, and restart Kratos:`,
        '  identity:',
        '    schemas:',
        `      - { id: ${name}, url: file:///etc/kratos/operator.schema.json }`,
      ],
      async () => {
        if (!existsSync(file)) write(file, `${JSON.stringify(operatorSchema(auth), null, 2)}\n`, 0o644);
        return undefined;
      },
    );
  },
});

/** @returns undefined if there is none @throws SetupFailed if the schemas cannot be read */
async function schemaOfAdministrators(auth: Auth): Promise<string | undefined> {
  const { store, operatorSchemaIds: ids } = auth;
  const schemas = await operatorSchemas(store);
  if (!Array.isArray(schemas)) throw new SetupFailed(`${schemas.detail} ${schemas.action}`);
  return schemas.find((schema) => canHaveRole(schema, auth) && (!Array.isArray(ids) || ids.includes(schema.id)))?.id;
}

/**
 * Creates the first administrator, and a link to set a password until they have signed in.
 * @param email undefined if not given
 */
export const administratorStep = (auth: Auth, api: AdminApi, email: string | undefined): Step => ({
  title: 'Administrator',
  async look() {
    if (email === undefined) {
      const { status, detail } = await api.anyAdministrator(auth);
      return status === 'fail'
        ? byHand(detail, ['Name one: --admin EMAIL'])
        : ok(status === 'pass' ? detail : `${detail} --admin EMAIL looks for one.`);
    }
    const signsInHere = needsPassword(auth);
    const found = await api.read(`${IDENTITIES_PATH}?credentials_identifier=${encodeURIComponent(email)}&page_size=1`);
    const [identity] = Array.isArray(found) ? found : [];
    if (identity === undefined)
      return toDo(`Create ${email} with the role admin${signsInHere ? ', and a link to set a password' : ''}`, () =>
        createAdministrator(api, email, auth),
      );
    if (!isKnownBy(identity, email))
      throw new SetupFailed('The operators’ store responds to a search for that address with a different identity.');
    if (!isAdministrator(storedIdentity(identity), auth))
      return byHand(`${email} exists, but is not an active administrator of a schema in OPERATOR_SCHEMA_IDS.`, [
        'This command changes nobody’s role: use another address, or change that identity in Kratos.',
      ]);
    if (!signsInHere) return ok(`${email} is an administrator.`);
    const id = text(membersOf(identity)['id']);
    const sessions = await api.read(`${IDENTITIES_PATH}/${id}/sessions?page_size=1`);
    if (Array.isArray(sessions) && sessions.length > 0) return ok(`${email} is an administrator.`);
    return toDo(`${email} is an administrator, but has not signed in yet: create a new link to set a password`, () =>
      recoveryLink(api, id),
    );
  },
});

/** A store that ignores the filter responds with any identity, which must not get the link. */
function isKnownBy(identity: unknown, email: string): boolean {
  const { traits, credentials } = membersOf(identity);
  const names = Object.values(membersOf(credentials)).flatMap((one) => texts(membersOf(one)['identifiers']));
  return [text(membersOf(traits)['email']), ...names].some((name) => name.toLowerCase() === email.toLowerCase());
}

async function createAdministrator(api: AdminApi, email: string, auth: Auth): Promise<readonly string[]> {
  const schemaId = await schemaOfAdministrators(auth);
  if (schemaId === undefined) throw new SetupFailed('There is no schema for operators yet.');
  const inTraits = auth.roleFrom === 'traits.role';
  const { status, json } = await api.write('POST', IDENTITIES_PATH, {
    schema_id: schemaId,
    ...(inTraits ? { traits: { email, role: 'admin' } } : { traits: { email }, metadata_admin: { role: 'admin' } }),
  });
  const id = text(membersOf(json)['id']);
  if (status === 409) throw new SetupFailed(`${email} was created in the meantime: run this again.`);
  if (status === 400)
    throw new SetupFailed(
      `The schema ${schemaId} requires more than an email address${inTraits ? ' and a role' : ''}: create the identity in Kratos, and run this again.`,
    );
  if (status !== 201 || id === '')
    throw new SetupFailed(`The operators’ store responds with ${status} to a new identity.`);
  return needsPassword(auth) ? recoveryLink(api, id) : ['Sign in at the OpenID provider with this address.'];
}

/** Whether an administrator signs in with the identity itself, and not at a provider that knows the same address. */
const needsPassword = ({ operators }: Auth): boolean => operators.from === 'identity';

/** Creates a recovery code or a recovery link, whichever the store has enabled. */
async function recoveryLink(api: AdminApi, identityId: string): Promise<readonly string[]> {
  for (const kind of ['code', 'link']) {
    const { status, json } = await api.write('POST', `/admin/recovery/${kind}`, { identity_id: identityId });
    const { recovery_link: link, recovery_code: code, expires_at: end } = membersOf(json);
    if (status >= 300 || typeof link !== 'string') continue;
    return [
      'Open this link and set a password. The link is not shown again:',
      `  ${link}`,
      ...(typeof code === 'string' ? [`  Code: ${code}`] : []),
      ...(typeof end === 'string' ? [`  Valid until ${end.slice(0, 16).replace('T', ' ')} UTC`] : []),
    ];
  }
  throw new SetupFailed(
    'The identity service creates no recovery links: enable selfservice.methods.code or link, and selfservice.flows.recovery.',
  );
}

/** Prints what only the administrator of Kratos and Hydra can change, so that they report sign-ins. */
export const signInLogStep = ({ host, port, key }: NonNullable<Config['events']>, deployment: string): Step => ({
  title: 'Sign-in log',
  async look() {
    const isEverywhere = ['0.0.0.0', '::'].includes(host);
    const address = isEverywhere ? 'DASHBOARD' : host.includes(':') ? `[${host}]` : host;
    const lines = [
      'tracing:',
      `  service_name: kratos-${deployment} # hydra-${deployment}`,
      '  provider: otel',
      '  providers:',
      '    otlp:',
      `      server_url: "${address}:${port}"`,
      '      insecure: true',
      key !== undefined && `      authorization_header: Bearer \${EVENTS_KEY}`,
      '      sampling: { sampling_ratio: 1 }',
      key !== undefined && `Replace \${EVENTS_KEY} with the key: they do not read variables there.`,
      isEverywhere && 'Replace DASHBOARD with the name of this machine on a network that only they share.',
      isLoopbackAddress(host) && 'From another machine they reach it only if EVENTS_HOST is not loopback.',
    ];
    return {
      ...ok('Kratos and Hydra report sign-ins with this in their configuration:'),
      lines: lines.filter((line) => line !== false),
    };
  },
});
