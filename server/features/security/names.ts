import { Router } from 'express';
import { identifierOf, type MarksBySchema, marksFor, nameOf } from '../../../shared/identity-name.ts';
import { isUuid, membersOf, text } from '../../../shared/json.ts';
import {
  type NamedSubject,
  type OperatorName,
  SUBJECT_NAMES_MAX,
  type SubjectName,
  type SubjectNames,
} from '../../../shared/security.ts';
import type { AuditSearch } from '../../audit/search.ts';
import { badRequest, methodNotAllowed } from '../../http/errors.ts';
import type { AdminClient } from '../../upstream/admin-client.ts';
import { UpstreamFailure } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';

/** Operators' names, read from the store when they are displayed: no audit record holds a name. */
export interface OperatorNaming {
  /**
   * For at most 100 ids in lower case, in their order. Without a name if the identity is unknown, or the store is
   * missing or unavailable.
   */
  names(ids: readonly string[]): Promise<OperatorName[]>;
  /**
   * Operators whose identifier matches exactly, as the store compares it.
   * @throws UpstreamFailure also if there is no store
   */
  find(identifier: string): Promise<OperatorName[]>;
}

/** @param elapsed milliseconds on a monotonic clock */
export function operatorNames(store: IdentityStore | undefined, elapsed: () => number): OperatorNaming {
  const remembered =
    store === undefined ? undefined : rememberedNames((ids) => readNames(store, ids, elapsed), elapsed);
  return {
    async names(ids) {
      const names = await remembered?.(ids);
      return ids.map((id, index) => names?.[index] ?? nameless(id));
    },
    async find(identifier) {
      if (store === undefined) throw new UpstreamFailure('not_configured');
      return findNames(store, identifier);
    },
  };
}

const WITHIN_MS = 4_000;
const AT_ONCE = 8;
/** Kratos' maximum page size, which also limits a query by ids. */
const PAGE_SIZE = 500;
/** Fits such a page with large traits. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_CHARACTERS = 255;

export const nameless = (identity_id: string): OperatorName => ({ identity_id, name: null, email: null });

/**
 * The names of the identities that exist among these ids (in lower case): in one request, or one by one if the store
 * cannot list by id.
 * @param elapsed milliseconds
 * @throws UpstreamFailure
 */
export async function readNames(
  store: IdentityStore,
  ids: readonly string[],
  elapsed: () => number,
): Promise<Map<string, OperatorName>> {
  const deadline = elapsed() + WITHIN_MS;
  const limits = () => ({ maxBytes: MAX_BYTES, timeoutMs: Math.max(1, Math.floor(deadline - elapsed())) });
  const listed = await store.list('/admin/identities', { ids, page_size: PAGE_SIZE }, limits()).catch((error) => {
    if (error instanceof UpstreamFailure && error.response?.status === 400) return undefined;
    throw error;
  });
  const marks = await store.marks();
  const names = listed?.items.map((identity) => nameIn(identity, marks));
  // An older Kratos ignores the ids and lists arbitrary identities.
  if (names?.every(({ identity_id }) => ids.includes(identity_id))) return byId(names);

  const found: OperatorName[] = [];
  const waiting = ids[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const id of waiting) {
      const identity = await store.identity(id, [], limits());
      if (identity !== undefined) found.push(nameIn({ ...identity, schema_id: identity.schemaId }, marks));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return byId(found);
}

/** @throws UpstreamFailure */
export async function findNames(store: IdentityStore, identifier: string): Promise<OperatorName[]> {
  const query = { credentials_identifier: identifier, page_size: PAGE_SIZE };
  const { items } = await store.list('/admin/identities', query, { maxBytes: MAX_BYTES });
  const marks = await store.marks();
  return items.map((identity) => nameIn(identity, marks));
}

const byId = (names: readonly OperatorName[]) => new Map(names.map((name) => [name.identity_id, name]));

/** Traits are written by their owner: only what looks like an email address is used as one. */
function nameIn(identity: unknown, known: MarksBySchema): OperatorName {
  const { id, schema_id, traits: given } = membersOf(identity);
  if (typeof id !== 'string') throw new UpstreamFailure('nonsense');
  const traits = membersOf(given);
  const marks = marksFor(known, schema_id);
  const { email } = traits;
  const address = [email, identifierOf(traits, marks)].find(isAddress) ?? null;
  return {
    identity_id: id.toLowerCase(),
    name: short(nameOf(traits, marks) ?? (address === null ? identifierOf(traits, marks) : undefined)),
    email: short(address ?? undefined),
  };
}

const isAddress = (text: unknown): text is string => typeof text === 'string' && /^[^\s@]+@[^\s@]+$/.test(text);

const short = (text: string | undefined): string | null =>
  text === undefined || text.length > MAX_CHARACTERS ? null : text;

type Found<Name> = Promise<Map<string, Name>>;

const REMEMBER_MS = 60_000;
const REMEMBERED_MAX = 1_000;

/**
 * Remembers what was read by id for a minute, absences included, and reads each id once for all who wait. What could not
 * be read is read again.
 * @param read the names that exist among these ids
 * @param elapsed milliseconds on a monotonic clock
 * @returns a function that gives a name for each id; undefined without one, or if reading failed
 */
export function rememberedNames<Name>(
  read: (ids: readonly string[]) => Found<Name>,
  elapsed: () => number,
): (ids: readonly string[]) => Promise<(Name | undefined)[]> {
  /** Which answer holds an id's name; pending ones count, so that no id is requested twice. */
  const remembered = new Map<string, { found: Found<Name>; until: number }>();

  function remember(id: string, found: Found<Name>): void {
    const entry = { found, until: Number.POSITIVE_INFINITY };
    remembered.delete(id);
    const oldest = remembered.keys().next();
    if (remembered.size >= REMEMBERED_MAX && !oldest.done) remembered.delete(oldest.value);
    remembered.set(id, entry);
    const keepFor = (ms: number): void => {
      entry.until = elapsed() + ms;
    };
    found.then(
      () => keepFor(REMEMBER_MS),
      () => keepFor(0),
    );
  }

  function known(id: string): Found<Name> | undefined {
    const entry = remembered.get(id);
    return entry !== undefined && entry.until > elapsed() ? entry.found : undefined;
  }

  return (ids) => {
    const answers = new Map(ids.map((id) => [id, known(id)]));
    const unknown = [...answers.keys()].filter((id) => answers.get(id) === undefined);
    const request = unknown.length === 0 ? undefined : read(unknown);
    if (request !== undefined) for (const id of unknown) remember(id, request);
    return Promise.all(ids.map(async (id) => (await (answers.get(id) ?? request)?.catch(() => undefined))?.get(id)));
  };
}

/**
 * The names of people and clients in the order of the subjects: only of those that a record is about, since records hold
 * none. Null if there is none, or its server is missing or unavailable. Never rejects because of a server.
 */
export type SubjectNaming = (subjects: readonly NamedSubject[]) => Promise<SubjectName[]>;

/** Hydra has no question for several ids. */

/**
 * @param options.store the people whom records are about
 * @param options.elapsed milliseconds on a monotonic clock
 */
export function subjectNames(options: {
  search: Pick<AuditSearch, 'page'>;
  store: IdentityStore;
  oauthAdmin: AdminClient;
  elapsed: () => number;
}): SubjectNaming {
  const { search, store, oauthAdmin, elapsed } = options;
  const people = operatorNames(store, elapsed);
  const clients = rememberedNames((ids) => readClientNames(oauthAdmin, ids, elapsed), elapsed);

  const isRecorded = async (subject: NamedSubject): Promise<boolean> =>
    (await search.page({ subject }, 1)).records.length > 0;

  async function named(kind: string, subjects: readonly NamedSubject[]): Promise<[NamedSubject, string | null][]> {
    const those = subjects.filter((subject) => subject.startsWith(kind));
    const ids = those.map((subject) => subject.slice(kind.length));
    if (ids.length === 0) return [];
    const names =
      kind === 'client:'
        ? await clients(ids)
        : (await people.names(ids)).map(({ name, email }) => name ?? email ?? undefined);
    return those.map((subject, index) => [subject, names[index] ?? null]);
  }

  return async (subjects) => {
    const distinct = [...new Set(subjects)];
    const are = await Promise.all(distinct.map(isRecorded));
    const recorded = distinct.filter((_, index) => are[index]);
    const names = new Map((await Promise.all([named('identity:', recorded), named('client:', recorded)])).flat());
    return subjects.map((subject) => ({ subject, name: names.get(subject) ?? null }));
  };
}

/** @throws UpstreamFailure if none could be read */
async function readClientNames(
  oauthAdmin: AdminClient,
  ids: readonly string[],
  elapsed: () => number,
): Promise<Map<string, string>> {
  const deadline = elapsed() + WITHIN_MS;
  const found = new Map<string, string>();
  // No URL can end with such a segment.
  const waiting = ids.filter((id) => id !== '.' && id !== '..')[Symbol.iterator]();
  let failure: unknown;
  const work = async (): Promise<void> => {
    for (const id of waiting) {
      const left = Math.floor(deadline - elapsed());
      if (left <= 0) return;
      const path = `/admin/clients/${encodeURIComponent(id)}`;
      const client = await oauthAdmin.get(path, {}, { timeoutMs: left }).catch((error) => {
        failure = error;
      });
      const { client_id, client_name } = membersOf(client?.body);
      const name = text(client_name).trim();
      if (client_id === id && name !== '' && name.length <= MAX_CHARACTERS) found.set(id, name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (found.size === 0 && failure !== undefined) throw failure;
  return found;
}

/** `GET /api/security/subject-names`: whom and what the records of the trail are about. */
export function subjectNamesRouter(names: SubjectNaming): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .get(async (req, res) => {
      res.json({ names: await names(parseSubjects(req.query['subject'])) } satisfies SubjectNames);
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}

/** The width of the column, which no client's id can exceed. */
const CLIENT_MAX_BYTES = 1040;

/** @throws 400 `bad_request` that names the parameter */
function parseSubjects(parameter: unknown): NamedSubject[] {
  const subjects: unknown[] = parameter === undefined ? [] : [parameter].flat();
  if (subjects.length === 0 || subjects.length > SUBJECT_NAMES_MAX)
    throw badRequest('subject', `must be given 1 to ${SUBJECT_NAMES_MAX} times`);
  return subjects.map((subject): NamedSubject => {
    const [, kind, id = ''] = typeof subject === 'string' ? (/^(identity|client):(.+)$/su.exec(subject) ?? []) : [];
    if (kind === 'identity' && isUuid(id)) return `identity:${id.toLowerCase()}`;
    if (kind === 'client' && isName(id)) return `client:${id}`;
    throw badRequest('subject', 'must be `identity:` and a UUID, or `client:` and an id');
  });
}

const isName = (id: string): boolean => Buffer.byteLength(id) <= CLIENT_MAX_BYTES && !/\p{Cc}|\p{Surrogate}/u.test(id);
