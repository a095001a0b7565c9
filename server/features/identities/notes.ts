import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'express';
import type { Knex } from 'knex';
import { can } from '../../../shared/capabilities.ts';
import { isUuid } from '../../../shared/json.ts';
import { NOTE_MAX_CHARACTERS, NOTES_MAX, type Note, type Notes } from '../../../shared/notes.ts';
import type { Route } from '../../app.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import { whileRunning } from '../../caches.ts';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/database.ts';
import { lease } from '../../db/lease.ts';
import { bodyFields, textField } from '../../http/bodies.ts';
import { ApiError, badRequest } from '../../http/errors.ts';
import { reasonOf } from '../../http/parameters.ts';
import { pathRoutes, sendJson } from '../../http/response.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import { routeError } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';

/** `GET` and `POST /api/identities/:id/notes`, `PUT` and `DELETE /api/identities/:id/notes/:note` (docs/api.md#notes). */
export function notesOnPeople(context: Context) {
  const { identities } = context;
  const notes = noteStore({ ...context, ...context.clock });
  const { start, stop } = noteUpkeep({ ...context, ...context.clock, forget: notes.forget });
  const router = pathRoutes({
    'GET /': async (req, res) => sendJson(res, { notes: await notes.of(idIn(req, 'id')) } satisfies Notes),
    'POST /': async (req, res) => {
      const id = idIn(req, 'id');
      const text = parseText(req.body);
      const person = await identities.identity(id).catch((error) => Promise.reject(routeError(error)));
      if (person === undefined) throw new ApiError('not_found');
      sendJson(res.status(201), await notes.add(id, sessionOf(res).identityId, text));
    },
    'PUT /:note': async (req, res) => {
      const [id, note] = [idIn(req, 'id'), idIn(req, 'note')];
      sendJson(res, await notes.change(id, note, sessionOf(res).identityId, parseText(req.body)));
    },
    'DELETE /:note': async (req, res) => {
      const { identityId, role } = sessionOf(res);
      // Whoever may delete the person may delete what is noted on them.
      const mayDeleteAll = can(role, 'upstreams.write');
      await notes.remove(idIn(req, 'id'), idIn(req, 'note'), identityId, mayDeleteAll, reasonOf(req));
      res.status(204).end();
    },
  });
  const routes: Route[] = [['/api/identities/:id/notes', { read: 'notes.read', write: 'notes.write' }, router]];
  return { routes, forget: notes.forget, start, stop };
}

/** @throws 404 unless it is a UUID */
function idIn({ params }: Request<Record<string, string>>, name: string): string {
  const id = (params[name] ?? '').toLowerCase();
  if (!isUuid(id)) throw new ApiError('not_found');
  return id;
}

/** @throws 400 that names the field, and never quotes it */
function parseText(body: unknown): string {
  const text = textField('text', bodyFields(body, ['text']).text)
    .replace(/\r\n?/g, '\n')
    .trim();
  const characters = [...text].length;
  if (characters < 1 || characters > NOTE_MAX_CHARACTERS)
    throw badRequest('text', `must have 1 to ${NOTE_MAX_CHARACTERS} characters`);
  if (/(?!\n)\p{Cc}/u.test(text)) throw badRequest('text', 'must not contain control characters except line breaks');
  return text;
}

/** The notes; ids are in lower case. Each change leaves a record without the text, in the same transaction. */
export function noteStore({ database, audit, now }: { database: Database; audit: AuditTrail; now: () => number }) {
  const columns = 'id, author, text, created_at, updated_at';
  const read = database.statement<Note>(
    `select ${columns} from identity_notes where identity = ? order by created_at desc, id desc`,
  );
  const write = (
    [action, identity, actor]: [action: 'note_write' | 'note_delete', identity: string, actor: string],
    act: (trx: Knex.Transaction, at: string) => Promise<{ note: Note; created?: boolean; reason?: string }>,
  ): Promise<Note> =>
    database.transaction(async (trx) => {
      await audit.lock(trx);
      const { note, ...details } = await act(trx, new Date(now()).toISOString());
      await audit.record({ action, actor, target: identity, details: { note: note.id, ...details } }, trx);
      return note;
    });
  async function found(trx: Knex.Transaction, identity: string, id: string): Promise<Note> {
    const note: Note | undefined = await trx('identity_notes').where({ identity, id }).first(columns.split(', '));
    if (note === undefined) throw new ApiError('not_found');
    return note;
  }

  return {
    /** Newest first. */
    of: (identity: string): Promise<Note[]> => read.all(identity),
    /** @throws 400 beyond the most notes on a person: counted under the lock of the trail, so exactly */
    add: (identity: string, author: string, text: string) =>
      write(['note_write', identity, author], async (trx, at) => {
        const [counted] = await trx('identity_notes').where({ identity }).count<{ notes: number }[]>({ notes: '*' });
        if (Number(counted?.notes) >= NOTES_MAX)
          throw new ApiError('bad_request', { message: `A person can have at most ${NOTES_MAX} notes.` });
        const note: Note = { id: randomUUID(), author, text, created_at: at, updated_at: at };
        await trx('identity_notes').insert({ ...note, identity });
        return { note, created: true };
      }),
    /** Of two changes, the last one counts. @throws 404, 403 */
    change: (identity: string, id: string, actor: string, text: string) =>
      write(['note_write', identity, actor], async (trx, updated_at) => {
        const note = await found(trx, identity, id);
        if (note.author !== actor) throw refusal('Only its author can change this note.');
        await trx('identity_notes').where({ id }).update({ text, updated_at });
        return { note: { ...note, text, updated_at }, created: false };
      }),
    /** @param isAdministrator who may delete the notes of others. @throws 404, 403 */
    remove: (identity: string, id: string, actor: string, isAdministrator: boolean, reason: string | undefined) =>
      write(['note_delete', identity, actor], async (trx) => {
        const note = await found(trx, identity, id);
        if (note.author !== actor && !isAdministrator)
          throw refusal('Only its author or an administrator can delete this note.');
        await trx('identity_notes').where({ id }).delete();
        return { note, ...(reason !== undefined && { reason }) };
      }),
    /** Deletes the notes on somebody who no longer exists. */
    forget: (identity: string): Promise<void> =>
      database.transaction(async (trx) => void (await trx('identity_notes').where({ identity }).delete())),
  };
}

const refusal = (message: string): ApiError => new ApiError('forbidden', { message, hint: null });

const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;
const PEOPLE_A_DAY = 10_000;
const LOOK_UP_MS = 2_000;
const PAUSE_MS = 20;

/**
 * Once a day, one replica deletes the notes on people whom the store says that it does not have. A failure says
 * nothing: the check stops there, and goes on after an hour.
 */
export function noteUpkeep(options: {
  database: Database;
  identities: Pick<IdentityStore, 'identity'>;
  forget: (identity: string) => Promise<void>;
  monotonic: () => number;
  log: Context['log'];
}) {
  const { database, identities, forget, monotonic, log } = options;
  // Not released: it also says that today's check is done.
  const today = lease(database, 'notes');
  let dueAt = Number.NEGATIVE_INFINITY;
  /** Whom this replica looked up last, in the order of ids. */
  let last = '';
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    if (stopped || monotonic() < dueAt || !(await today.hold(DAY_SECONDS))) return;
    const noted = database
      .knex('identity_notes')
      .where('identity', '>', last)
      .distinct<{ identity: string }[]>('identity');
    const people = await noted.orderBy('identity').limit(PEOPLE_A_DAY);
    for (const { identity } of people) {
      if (stopped) return;
      last = identity;
      if ((await identities.identity(identity, [], { timeoutMs: LOOK_UP_MS })) === undefined) await forget(identity);
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
    if (people.length < PEOPLE_A_DAY) last = '';
    dueAt = monotonic() + DAY_SECONDS * 1000;
  }

  const run = whileRunning(() =>
    check().catch((error) => {
      if (!stopped) log.warn({ error }, 'notes on deleted people could not be looked for');
    }),
  );
  return {
    run,
    start(): void {
      timer = setInterval(run, HOUR_MS).unref();
    },
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(timer);
      await run();
    },
  };
}
