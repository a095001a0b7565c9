import { type Capability, can } from '../../shared/capabilities.ts';
import { identifierOf, marksFor, nameOf } from '../../shared/identity-name.ts';
import { membersOf, text, timeOf } from '../../shared/json.ts';
import {
  RECORDS_MAX,
  type RecordReference,
  type RecordResource,
  type RecordSummary,
  type Records,
  recordReference,
} from '../../shared/records.ts';
import type { Route } from '../app.ts';
import { mapConcurrently } from '../caches.ts';
import type { Context } from '../context.ts';
import { ApiError, badRequest } from '../http/errors.ts';
import { readRoutes } from '../http/response.ts';
import { listedSession } from '../search-index/sessions.ts';
import { sessionOf } from '../session/session-verifier.ts';
import type { AdminLimits } from '../upstream/admin-client.ts';
import { routeError, UpstreamFailure } from '../upstream/failure.ts';

type Find = (id: string, limits: AdminLimits) => Promise<unknown>;

/** A session has the person's name. */
const NEEDS: Record<RecordResource, readonly Capability[]> = {
  identity: ['identities.read'],
  session: ['sessions.read', 'identities.read'],
  message: ['messages.read'],
  client: ['clients.read'],
};

/**
 * `GET /api/records`: a summary of each named record that the role may read, from the service that has it. One that
 * cannot be read does not affect the others.
 * @param findClient resolves with undefined if the OAuth server says that it has no such client
 */
export function recordRoutes(
  { identities: store, config, clock: { now, monotonic } }: Context,
  findClient: Find,
): Route[] {
  const find: Record<RecordResource, Find> = {
    identity: (id, limits) => store.identity(id, [], limits),
    session: store.session,
    message: store.message,
    client: findClient,
  };

  async function summaryOf(resource: RecordResource, found: unknown): Promise<RecordSummary> {
    const fields = membersOf(found);
    const member = (name: string): string => text(fields[name]);
    const time = (name: string): string => isoTime(timeOf(fields[name]));
    const id = member('id').toLowerCase();
    if (resource === 'client') return { resource, id: member('client_id'), name: nameIn(member('client_name')) };
    if (resource === 'message') {
      const [recipient, template_type] = [member('recipient'), member('template_type')];
      return { resource, id, recipient, template_type, status: member('status'), created_at: time('created_at') };
    }
    const identity = resource === 'identity' ? fields : membersOf(fields['identity']);
    const traits = membersOf(identity['traits']);
    const marks = marksFor(await store.marks(), identity['schemaId'] ?? identity['schema_id']);
    const [name, identifier] = [nameIn(nameOf(traits, marks)), nameIn(identifierOf(traits, marks))];
    if (resource === 'identity')
      return { resource, id, name, identifier, state: fields['active'] === true ? 'active' : 'inactive' };
    const { active = false, expiresAt = 0, identityId = '' } = listedSession(found) ?? {};
    return {
      ...{ resource, id, name: name ?? identifier, identity_id: identityId || null },
      active: active && !(expiresAt !== 0 && expiresAt <= now()),
      ...{ authenticated_at: time('authenticated_at'), expires_at: time('expires_at') },
    };
  }

  const router = readRoutes({
    '/': async (req, res) => {
      const references = parseReferences(req.query['record']);
      const { role } = sessionOf(res);
      const gone = new AbortController();
      res.once('close', () => gone.abort());
      // The limit for all records together.
      const until = monotonic() + config.proxyTimeoutMs;
      const outcomes = await mapConcurrently(references, async (reference) => {
        const { resource, id } = reference;
        try {
          if (!NEEDS[resource].every((needed) => can(role, needed)))
            throw new ApiError('forbidden', { message: 'Your role may not read it.' });
          const timeoutMs = Math.max(Math.ceil(until - monotonic()), 1);
          const found = await find[resource](id, { timeoutMs, signal: gone.signal });
          if (found === undefined) return { gone: reference };
          const record = await summaryOf(resource, found);
          if (record.id !== id) throw new UpstreamFailure('nonsense');
          return { record };
        } catch (error) {
          return { failed: { ...reference, ...problemOf(error) } };
        }
      });
      res.json({
        records: outcomes.flatMap(({ record }) => record ?? []),
        gone: outcomes.flatMap(({ gone }) => gone ?? []),
        failed: outcomes.flatMap(({ failed }) => failed ?? []),
      } satisfies Records);
    },
  });
  return [['/api/records', 'views.own', router]];
}

/** @throws 400 that names the parameter */
function parseReferences(value: unknown): RecordReference[] {
  const given: unknown[] = [value ?? []].flat();
  if (given.length < 1 || given.length > RECORDS_MAX)
    throw badRequest('record', `must be given 1 to ${RECORDS_MAX} times`);
  const references = given.map((one) => {
    const [kind, ...rest] = text(one).split(':');
    const reference = recordReference(kind, rest.join(':'));
    if (reference === undefined) throw badRequest('record', 'must be a kind of records and an id: client:web');
    return [`${reference.resource}:${reference.id}`, reference] as const;
  });
  return [...new Map(references).values()];
}

/** @throws any error that does not come from a service */
function problemOf(error: unknown): { error: string; message: string } {
  const failure = routeError(error);
  if (!(failure instanceof ApiError)) throw failure;
  return { error: failure.code, message: failure.message };
}

const isoTime = (time: number): string => (time === 0 ? '' : new Date(time).toISOString());

/** Null without a name. People write their own, and its start is enough. */
const nameIn = (name: string | undefined): string | null => name?.slice(0, 255).toWellFormed() || null;
