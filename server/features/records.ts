import { type Capability, can } from '../../shared/capabilities.ts';
import { identifierOf, marksFor, nameOf } from '../../shared/identity-name.ts';
import { type JsonObject, membersOf, text, timeOf } from '../../shared/json.ts';
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

const NEEDS: Record<RecordResource, readonly Capability[]> = {
  identity: ['identities.read'],
  // With the person's name.
  session: ['sessions.read', 'identities.read'],
  message: ['messages.read'],
  client: ['clients.read'],
};

/** Of a name. People write their own traits. */
const MAX_CHARACTERS = 255;

/**
 * `GET /api/records`: a summary of each named record that the role may read, from the service that has it. One that
 * cannot be read does not affect the others.
 * @param findClient resolves with undefined if the OAuth server says that it has no such client
 */
export function recordRoutes(
  { identities: store, config, clock: { now, monotonic } }: Context,
  findClient: (id: string, limits: AdminLimits) => Promise<JsonObject | undefined>,
): Route[] {
  async function named(identity: unknown) {
    const { traits, schema_id } = membersOf(identity);
    const marks = marksFor(await store.marks(), schema_id);
    return {
      name: nameIn(nameOf(membersOf(traits), marks)),
      identifier: nameIn(identifierOf(membersOf(traits), marks)),
    };
  }

  const read: Record<RecordResource, (id: string, limits: AdminLimits) => Promise<RecordSummary | undefined>> = {
    async identity(id, limits) {
      const found = await store.identity(id, [], limits);
      const state = found?.active ? 'active' : 'inactive';
      return found && { resource: 'identity', id, state, ...(await named({ ...found, schema_id: found.schemaId })) };
    },
    async session(id, limits) {
      const found = await store.session(id, limits);
      const session = listedSession(found);
      if (session?.id !== id) return absent(found);
      const { name, identifier } = await named(membersOf(found)['identity']);
      return {
        ...{ resource: 'session', id, name: name ?? identifier, identity_id: session.identityId || null },
        active: session.active && !(session.expiresAt !== 0 && session.expiresAt <= now()),
        ...{ authenticated_at: isoTime(session.authenticatedAt), expires_at: isoTime(session.expiresAt) },
      };
    },
    async message(id, limits) {
      const found = await store.message(id, limits);
      const message = membersOf(found);
      if (text(message['id']).toLowerCase() !== id) return absent(found);
      const member = (name: string): string => text(message[name]);
      return {
        ...{ resource: 'message', id, recipient: member('recipient'), template_type: member('template_type') },
        ...{ status: member('status'), created_at: isoTime(timeOf(message['created_at'])) },
      };
    },
    async client(id, limits) {
      const client = await findClient(id, limits);
      return client && { resource: 'client', id, name: nameIn(text(client['client_name'])) };
    },
  };

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
          const found = await read[resource](id, { timeoutMs, signal: gone.signal });
          return found === undefined ? { gone: reference } : { record: found };
        } catch (error) {
          return { failed: { ...reference, ...problemOf(error, resource) } };
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
function problemOf(error: unknown, resource: RecordResource): { error: string; message: string } {
  if (error instanceof ApiError) return error.body;
  const failure = routeError(error);
  if (!(error instanceof UpstreamFailure && failure instanceof ApiError)) throw error;
  const problem = error.kind === 'not_configured' ? 'is not configured' : 'did not return it';
  const service = resource === 'client' ? 'OAuth 2.0 server' : 'identity service';
  return {
    error: failure.code,
    message: `The ${service} ${failure.code === 'gateway_timeout' ? 'did not respond in time' : problem}.`,
  };
}

/** @returns undefined if there is no such record. @throws UpstreamFailure for a response that is not one */
function absent(found: unknown): undefined {
  if (found !== undefined) throw new UpstreamFailure('nonsense');
}

const isoTime = (time: number): string => (time === 0 ? '' : new Date(time).toISOString());

/** Null without a name. People write their own, and `MAX_CHARACTERS` are enough for one. */
const nameIn = (name: string | undefined): string | null => name?.slice(0, MAX_CHARACTERS).toWellFormed() || null;
