import { hash } from 'node:crypto';
import type { EventRefusal, SignInCoverage, SignInSource } from '../../shared/sign-ins.ts';
import { CLIENTS_PATH, IDENTITIES_PATH } from '../../shared/upstreams.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../context.ts';
import type { Database } from '../db/database.ts';
import { isUnavailable } from '../db/errors.ts';
import type { LookUp } from '../geo/geo-lookup.ts';
import type { Log } from '../log.ts';
import { decodeTraces, type Span } from './decode.ts';
import { attributesOf, deviceOf, meaningOf, serviceOf, timeOf } from './event-row.ts';
import { eventSearch, shownSource, withMilliseconds } from './event-search.ts';
import { type EventBatch, eventStore, noteIdentities, type SourceRow } from './event-store.ts';
import { eventUpkeep } from './event-upkeep.ts';
import { listenForEvents } from './listener.ts';

const DAY_MS = 86_400_000;
/** How far a service's clock may be ahead of ours. */
const AHEAD_MS = 5 * 60_000;

interface SignInLogOptions extends Clock {
  config: NonNullable<Config['events']>;
  database: Database;
  /** Opens the geolocation files. */
  openGeo: () => Promise<LookUp>;
  /** Blanks what must not be stored in a sentence. */
  redact: (text: string) => string;
  /** Since when an API has responded to our regular checks (ISO 8601); undefined if it does not. */
  answersSince: (api: NonNullable<SignInSource['api']>) => Promise<string | undefined>;
  /** Whether the OAuth server says that it has no such client; false if it says nothing. */
  isClientGone: (client: string) => Promise<boolean>;
  /** Called with how many rows a request added, or why it was refused. */
  observe?: ((outcome: number | EventRefusal) => void) | undefined;
  log: Log;
}

/** The sign-in log: what Kratos and Hydra report by OpenTelemetry about sign-ins and tokens. */
export function signInLog(options: SignInLogOptions) {
  const { config, database, openGeo, redact, observe, now, monotonic, log } = options;
  const store = eventStore({ database, now });
  const upkeep = eventUpkeep({ ...options, store, days: config.days });
  const search = eventSearch(database);
  /** By the monotonic clock. */
  let receivedAt = monotonic();
  let listener: Awaited<ReturnType<typeof listenForEvents>> | undefined;

  async function receive(body: Buffer): Promise<void> {
    const batch = await batchIn(body);
    const stored = (await store.store(batch)) ?? 0;
    receivedAt = monotonic();
    observe?.(stored);
    upkeep.stored(stored);
    for (const [id, { isDeleted }] of batch.identities) if (isDeleted) forgetSoon(id);
  }

  /** @throws MalformedRequest */
  async function batchIn(body: Buffer): Promise<EventBatch> {
    const lookUp = await openGeo();
    const received = new Date(now()).toISOString();
    const oldest = new Date(now() - config.days * DAY_MS).toISOString();
    const latest = new Date(now() + AHEAD_MS).toISOString();
    /** A clock that is ahead would put events above all later ones. */
    const atMost = (at: string): string => (at > latest ? timeOf(BigInt(now()) * 1_000_000n) : at);
    const batch: EventBatch = {
      digest: hash('sha256', body),
      ...{ rows: [], tokens: [], identities: new Map(), devices: new Map(), sources: new Map() },
    };

    function onSpan({ service: name, trace, path, userAgent, events }: Span): void {
      const service = serviceOf(name);
      const device = userAgent === undefined ? null : deviceOf(userAgent);
      if (device !== null) batch.devices.set(trace, device);
      const source = batch.sources.get(service) ?? {
        ...{ service, first_at: received, last_at: received },
        ...{ api: '' as const, last_event_at: '', look_at: '' },
      };
      batch.sources.set(service, source);
      if (path === IDENTITIES_PATH || path === CLIENTS_PATH) {
        source.look_at = received;
        source.api = path === IDENTITIES_PATH ? 'identity' : 'oauth';
      }
      for (const event of events) {
        const meaning = meaningOf({ ...event, service }, { lookUp, redact });
        if (event.name.startsWith('OAuth2')) source.api = 'oauth';
        else if (meaning !== undefined) source.api = 'identity';
        if (meaning?.kind === 'identity') batch.identities.set(meaning.id, meaning);
        if (meaning?.kind !== 'row' && meaning?.kind !== 'token') continue;
        const at = atMost(meaning.kind === 'row' ? meaning.row.at : meaning.at);
        if (at < oldest) continue;
        if (meaning.kind === 'row') batch.rows.push({ ...meaning.row, at });
        else batch.tokens.push({ ...meaning, at });
        if (at < source.first_at) source.first_at = at;
        if (at > source.last_event_at) source.last_event_at = at;
      }
    }
    await decodeTraces(body, attributesOf, onSpan);
    return batch;
  }

  function forgetSoon(identity: string): void {
    upkeep.forget(identity).catch((error) => log.warn({ error }, 'events of a deleted identity could not be deleted'));
  }

  return {
    ...search,
    days: config.days,
    /** What the log may lack. */
    async coverage(): Promise<SignInCoverage> {
      const [sources, gaps] = await Promise.all([search.sources(), search.gaps()]);
      const oldest = new Date(now() - config.days * DAY_MS).toISOString();
      const atLeast = (time: string | null): string | null => (time !== null && time < oldest ? oldest : time);
      return {
        since: atLeast(firstOf(sources)),
        sign_ins_since: atLeast(firstOf(sources, 'identity')),
        kept_days: config.days,
        sources: sources.map(shownSource),
        gaps,
      };
    },
    /** Since when the use of clients is known, which only Hydra reports; null before its first request. */
    usesSince: async (): Promise<string | null> => firstOf(await search.sources(), 'oauth'),
    /** Deletes what is stored of an identity that was deleted through the service, now and in an hour. */
    async identityDeleted(id: string): Promise<void> {
      const change = new Map([[id, { isDeleted: true }]]);
      await database.transaction((trx) => noteIdentities(trx, change, new Date(now()).toISOString()));
      await upkeep.forget(id);
    },
    clientDeleted: upkeep.forgetClient,
    /** Seconds since this replica stored a request, or since it started. */
    age: () => (monotonic() - receivedAt) / 1000,
    /** Does what is done regularly. */
    upkeep: upkeep.run,
    /** @returns the port @throws if it is in use */
    async start(): Promise<number> {
      const { host, port, key } = config;
      const refused = (reason: EventRefusal): void => {
        // A browser is nobody's sender.
        if (reason !== 'browser') upkeep.refused(reason);
        observe?.(reason);
      };
      listener = await listenForEvents({ host, port, key, receive, isUnavailable, refused, log });
      await upkeep.start();
      return listener.port;
    },
    async stop(): Promise<void> {
      listener?.close();
      await upkeep.stop();
    },
  };
}
/** When the first of these services began to report. */
const firstOf = (sources: readonly SourceRow[], api?: SourceRow['api']): string | null =>
  sources
    .filter((source) => api === undefined || source.api === api)
    .map(({ first_at }) => withMilliseconds(first_at))
    .sort()[0] ?? null;

export type SignInLog = ReturnType<typeof signInLog>;
