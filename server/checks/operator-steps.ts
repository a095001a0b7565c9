import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { membersOf, text, texts } from '../../shared/json.ts';
import type { Config } from '../config/config.ts';
import { operatorSchema } from '../registration.ts';
import { type AdminClientOptions, adminClient } from '../upstream/admin-client.ts';
import { UpstreamFailure } from '../upstream/failure.ts';
import { storedIdentity } from '../upstream/identity-store.ts';
import type { AdminApi } from './admin-api.ts';
import { write } from './env-file.ts';
import { anyAdministrator, canHaveRole, isAdministrator, operatorSchemas, schemasApi } from './operators.ts';
import { SetupFailed, type Step } from './step.ts';
import { causeOf } from './upstreams.ts';

type Auth = Config['auth'];

/** Checks for a schema whose identities can be administrators. Only Kratos' configuration can add one. */
export const schemaStep = (auth: Auth, envFile: string): Step => ({
  title: 'Schema of operators',
  async look() {
    const id = await schemaOfAdministrators(auth);
    if (id !== undefined) return { state: 'ok', text: `Identities of the schema ${id} can be administrators.` };
    const file = join(dirname(envFile), 'operator.schema.json');
    const name = Array.isArray(auth.operatorSchemaIds) ? auth.operatorSchemaIds[0] : 'operator';
    return {
      state: 'by hand',
      text: `The operators’ store has no schema ${name}${auth.roleFrom === 'traits.role' ? ' with a trait “role” that can be admin' : ''}.`,
      lines: [
        `Copy ${file} to where Kratos can read it, add it to Kratos’ configuration, and restart Kratos:`,
        '  identity:',
        '    schemas:',
        `      - { id: ${name}, url: file:///etc/kratos/operator.schema.json }`,
      ],
      async apply() {
        if (!existsSync(file)) write(file, `${JSON.stringify(operatorSchema(auth.roleFrom), null, 2)}\n`, 0o644);
        return undefined;
      },
    };
  },
});

/** @returns undefined if there is none @throws SetupFailed if the schemas cannot be read */
async function schemaOfAdministrators({ store, operatorSchemaIds: ids, roleFrom }: Auth): Promise<string | undefined> {
  const schemas = await operatorSchemas(store.publicUrl);
  if (schemas instanceof UpstreamFailure) throw new SetupFailed(causeOf(schemas, schemasApi(store)).join(' '));
  return schemas.find(
    (schema) => canHaveRole(schema, 'admin', roleFrom) && (!Array.isArray(ids) || ids.includes(schema.id)),
  )?.id;
}

/**
 * Creates the first administrator, and a link to set a password until they have signed in.
 * @param email undefined if not given
 */
export const administratorStep = (
  auth: Auth,
  api: AdminApi,
  options: AdminClientOptions,
  email: string | undefined,
): Step => ({
  title: 'Administrator',
  async look() {
    if (email === undefined) {
      const { status, detail } = await anyAdministrator(adminClient(options), auth).catch((error) => {
        throw api.explained(error);
      });
      return status === 'fail'
        ? { state: 'by hand', text: detail, lines: ['Name one: --admin EMAIL'] }
        : { state: 'ok', text: status === 'pass' ? detail : `${detail} --admin EMAIL looks for one.` };
    }
    const found = await api.read(`/admin/identities?credentials_identifier=${encodeURIComponent(email)}&page_size=1`);
    const [identity] = Array.isArray(found) ? found : [];
    if (identity === undefined)
      return {
        state: 'to do',
        text: `Create ${email} with the role admin, and a link to set a password`,
        apply: () => createAdministrator(api, email, auth),
      };
    if (!isKnownBy(identity, email))
      throw new SetupFailed('The operators’ store responds to a search for that address with a different identity.');
    if (!isAdministrator(storedIdentity(identity), auth))
      return {
        state: 'by hand',
        text: `${email} exists, but is not an active administrator of a schema in OPERATOR_SCHEMA_IDS.`,
        lines: ['This command changes nobody’s role: use another address, or change that identity in Kratos.'],
      };
    const id = text(membersOf(identity)['id']);
    const sessions = await api.read(`/admin/identities/${id}/sessions?page_size=1`);
    if (Array.isArray(sessions) && sessions.length > 0) return { state: 'ok', text: `${email} is an administrator.` };
    return {
      state: 'to do',
      text: `${email} is an administrator, but has not signed in yet: create a new link to set a password`,
      apply: () => recoveryLink(api, id),
    };
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
  const { status, json } = await api.write('POST', '/admin/identities', {
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
  return recoveryLink(api, id);
}

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
