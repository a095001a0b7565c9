import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RoleSource } from '../../shared/capabilities.ts';
import { membersOf, text, texts } from '../../shared/json.ts';
import type { Config } from '../config/config.ts';
import type { OperatorSchema } from '../features/security/posture/operators.ts';
import { isAdministrator } from '../features/security/posture/operators.ts';
import { operatorSchema } from '../platform.ts';
import { storedIdentity } from '../upstream/identity-store.ts';
import type { AdminApi } from './admin-api.ts';
import { write } from './env-file.ts';
import { type Found, SetupFailed, type Step } from './step.ts';

const PAGE_SIZE = 500;

/**
 * A schema whose identities may be administrators. Kratos takes schemas from its configuration alone.
 * @param schemas undefined if they cannot be read
 */
export const schemaStep = (
  { auth }: Pick<Config, 'auth'>,
  schemas: () => Promise<readonly OperatorSchema[] | undefined>,
  envFile: string,
): Step => ({
  title: 'Schema of operators',
  async look(): Promise<Found> {
    const { publicUrl, publicUrlVariable } = auth.store;
    if (publicUrl === undefined)
      throw new SetupFailed(`${publicUrlVariable} is not set: name the public address of the operators’ store.`);
    const known = await schemas();
    if (known === undefined)
      throw new SetupFailed(`The schemas of the operators’ store could not be read: correct ${publicUrlVariable}.`);
    const id = schemaOfAdministrators(auth, known);
    if (id !== undefined) return { state: 'done', text: `Identities of the schema ${id} can be administrators.` };
    const file = join(dirname(envFile), 'operator.schema.json');
    const wanted = Array.isArray(auth.operatorSchemaIds) ? auth.operatorSchemaIds[0] : 'operator';
    return {
      state: 'by_hand',
      prepare: () => {
        if (!existsSync(file)) write(file, `${JSON.stringify(operatorSchema(auth.roleFrom), null, 2)}\n`, 0o644);
      },
      text: `The operators’ store has no schema ${wanted}${auth.roleFrom === 'traits.role' ? ' with a trait “role” that can be admin' : ''}.`,
      lines: [
        `Copy ${file} to where Kratos reads it, name it in its configuration, and restart it:`,
        '  identity:',
        '    schemas:',
        `      - { id: ${wanted}, url: file:///etc/kratos/operator.schema.json }`,
      ],
    };
  },
});

export function schemaOfAdministrators(
  { operatorSchemaIds: ids, roleFrom }: Pick<Config['auth'], 'operatorSchemaIds' | 'roleFrom'>,
  known: readonly OperatorSchema[],
): string | undefined {
  const able = known.filter(({ roles }) => roleFrom !== 'traits.role' || roles === 'any' || roles?.includes('admin'));
  return able.find(({ id }) => !Array.isArray(ids) || ids.includes(id))?.id;
}

/**
 * The first administrator, and a link to set a password with until they have signed in.
 * @param email undefined if none is named
 * @param schema of the identity to create; undefined if there is none yet
 */
export const administratorStep = (
  { auth }: Pick<Config, 'auth'>,
  api: AdminApi,
  email: string | undefined,
  schema: () => Promise<string | undefined>,
): Step => ({
  title: 'Administrator',
  async look(): Promise<Found> {
    if (email === undefined) return anyAdministrator(auth, api);
    const found = await api.read(`/admin/identities?credentials_identifier=${encodeURIComponent(email)}&page_size=1`);
    const [identity] = Array.isArray(found) ? found : [];
    if (identity !== undefined && !isKnownBy(identity, email))
      throw new SetupFailed('The operators’ store was asked for that address, and answers with somebody else.');
    if (identity === undefined) {
      const schemaId = await schema();
      const apply = () => createAdministrator(api, { email, schemaId, roleFrom: auth.roleFrom });
      return { state: 'todo', text: `Create ${email} with the role admin, and a link to set a password`, apply };
    }
    if (!isAdministrator(storedIdentity(identity), auth))
      return {
        state: 'by_hand',
        text: `${email} exists, and is no active administrator of a schema in OPERATOR_SCHEMA_IDS.`,
        lines: ['Nobody’s role is raised here: name another address, or change that identity in Kratos.'],
      };
    const id = text(membersOf(identity)['id']);
    const sessions = await api.read(`/admin/identities/${id}/sessions?page_size=1`);
    if (Array.isArray(sessions) && sessions.length > 0) return { state: 'done', text: `${email} is an administrator.` };
    return {
      state: 'todo',
      text: `${email} is an administrator, and has not signed in yet: make a new link to set a password`,
      apply: () => recoveryLink(api, id),
    };
  },
});

/** A store that does not know the filter answers with anybody: a link must not be theirs. */
function isKnownBy(identity: unknown, email: string): boolean {
  const { traits, credentials } = membersOf(identity);
  const names = Object.values(membersOf(credentials)).flatMap((one) => texts(membersOf(one)['identifiers']));
  return [text(membersOf(traits)['email']), ...names].some((name) => name.toLowerCase() === email.toLowerCase());
}

async function anyAdministrator(auth: Config['auth'], api: AdminApi): Promise<Found> {
  const identities = await api.read(`/admin/identities?page_size=${PAGE_SIZE}`);
  if (!Array.isArray(identities)) throw new SetupFailed('The operators’ store does not list identities.');
  if (identities.some((identity) => isAdministrator(storedIdentity(identity), auth)))
    return { state: 'done', text: 'There is an active administrator.' };
  return identities.length < PAGE_SIZE
    ? { state: 'by_hand', text: 'There is no active administrator.', lines: ['Name one: --admin EMAIL'] }
    : { state: 'done', text: `None was seen among the first ${PAGE_SIZE} identities; --admin EMAIL looks for one.` };
}

async function createAdministrator(
  api: AdminApi,
  { email, schemaId, roleFrom }: { email: string; schemaId: string | undefined; roleFrom: RoleSource },
): Promise<readonly string[]> {
  if (schemaId === undefined) throw new SetupFailed('There is no schema for operators yet.');
  const { status, json } = await api.write('POST', '/admin/identities', {
    schema_id: schemaId,
    ...(roleFrom === 'traits.role'
      ? { traits: { email, role: 'admin' } }
      : { traits: { email }, metadata_admin: { role: 'admin' } }),
  });
  const id = text(membersOf(json)['id']);
  if (status === 409) throw new SetupFailed(`${email} was created meanwhile: run this again.`);
  if (status === 400)
    throw new SetupFailed(
      `The schema ${schemaId} does not take an identity with nothing but an email address${roleFrom === 'traits.role' ? ' and a role' : ''}: create it in Kratos, and run this again.`,
    );
  if (status !== 201 || id === '') throw new SetupFailed(`The operators’ store answers ${status} to a new identity.`);
  return recoveryLink(api, id);
}

/** By code or by link, whichever the store has enabled. */
async function recoveryLink(api: AdminApi, identityId: string): Promise<readonly string[]> {
  for (const kind of ['code', 'link']) {
    const { status, json } = await api.write('POST', `/admin/recovery/${kind}`, { identity_id: identityId });
    const { recovery_link: link, recovery_code: code, expires_at: end } = membersOf(json);
    if (status >= 300 || typeof link !== 'string') continue;
    return [
      'Open this link and set a password. It is not shown again:',
      `  ${link}`,
      ...(typeof code === 'string' ? [`  Code: ${code}`] : []),
      ...(typeof end === 'string' ? [`  Valid until ${end.slice(0, 16).replace('T', ' ')} UTC`] : []),
    ];
  }
  throw new SetupFailed(
    'The identity service makes no recovery links: enable selfservice.methods.code or link, and selfservice.flows.recovery.',
  );
}
