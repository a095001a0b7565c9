import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ErrorRequestHandler, Request, RequestHandler, Response, Router } from 'express';
import {
  brokenRule,
  type EncryptInput,
  type EncryptResult,
  isAlwaysEncrypted,
  KEPT_VERSION_HEADER,
  SETTING_CATEGORY_MAX_CHARACTERS,
  SETTING_KEY_MAX_CHARACTERS,
  SETTING_VALUE_MAX_BYTES,
  type Setting,
  type SettingHistory,
  type SettingInput,
} from '../../shared/settings.ts';
import type { Route } from '../app.ts';
import type { Context } from '../context.ts';
import { bodyFields, booleanField, labelField, textField } from '../http/bodies.ts';
import { ApiError, badRequest } from '../http/errors.ts';
import { rateLimit } from '../http/limits.ts';
import {
  booleanParameter,
  ifMatch,
  pageSizeParameter,
  pageTokenParameter,
  reasonOf,
  textParameter,
} from '../http/parameters.ts';
import { pathRoutes, sendJson } from '../http/response.ts';
import { mayDecrypt, sessionOf } from '../session/session-verifier.ts';
import { keyOfToken, type SettingPageQuery } from '../settings/store.ts';
import {
  type ChangedSetting,
  type SettingPrecondition,
  type SettingRefusal,
  SettingRefused,
  type SettingsVault,
  settingTag,
} from '../settings/vault.ts';

const DECRYPTIONS_A_MINUTE = 60;

/**
 * Call it before anything is decrypted.
 * @returns the identity that decrypts
 * @throws 403 without the capability, 429 if the session has decrypted too often
 */
type AuthoriseDecryption = (res: Response) => string;

/** The settings, their earlier versions, and `POST /api/encrypt` (docs/api.md#settings). */
export function settingsRoutes(context: Pick<Context, 'vault' | 'memory' | 'clock' | 'limitConcurrency'>): Route[] {
  const { vault, memory, clock, limitConcurrency } = context;
  const needs = { read: 'settings.read', write: 'settings.write', decrypt: 'settings.decrypt' } as const;
  const limit = rateLimit({ limit: DECRYPTIONS_A_MINUTE, windowMs: 60_000, monotonic: clock.monotonic });
  const authoriseDecryption: AuthoriseDecryption = (res) => {
    if (!mayDecrypt(res)) throw new ApiError('forbidden');
    const { identityId, sessionId } = sessionOf(res);
    limit.use(sessionId);
    return identityId;
  };
  return [
    ['/api/settings', needs, settingsRouter(vault, authoriseDecryption, limitConcurrency(memory.settingLists))],
    ['/api/setting-history', needs, historyRouter(vault.history, authoriseDecryption)],
    ['/api/encrypt', 'settings.write', encryptRouter(vault)],
  ];
}

/** `/api/settings`. @param wholeLists limits how many lists of all settings are sent simultaneously */
function settingsRouter(
  vault: SettingsVault,
  authoriseDecryption: AuthoriseDecryption,
  wholeLists: RequestHandler | undefined,
): Router {
  return pathRoutes({
    'GET /': [
      (req, res, next) => (wholeLists && pageQuery(req) === undefined ? wholeLists(req, res, next) : next()),
      async (req, res) => {
        const page = pageQuery(req);
        if (page === undefined) await writeSettingList(vault.list(categoryIn(req)), res);
        else sendJson(res, await vault.page(page));
      },
    ],
    'POST /': async (req, res) => {
      const input = parseSettingInput(req.body);
      const { identityId } = sessionOf(res);
      sendChanged(res, await vault.put(input, identityId, preconditionOf(req.headers), reasonOf(req)));
    },
    // Whatever is listed can be read and deleted: a key is not judged here by the rules for new ones.
    'GET /:key': async (req, res) => {
      const decrypt = decryptParameter(req);
      const { key = '' } = req.params;
      const setting = await (decrypt ? vault.reveal(key, authoriseDecryption(res)) : vault.get(key));
      if (setting === undefined) throw settingNotFound();
      // The tag is that of the setting as stored, so it is left out for plain text.
      sendJson(res, setting, decrypt ? undefined : settingTag(setting));
    },
    'DELETE /:key': async (req, res) => {
      const precondition = preconditionOf(req.headers);
      const { identityId } = sessionOf(res);
      const kept = await vault.remove(req.params['key'] ?? '', identityId, precondition, reasonOf(req));
      if (kept === undefined) throw settingNotFound();
      res.status(204).setHeader(KEPT_VERSION_HEADER, kept).end();
    },
  }).use(sendRefusal);
}

const CHUNK_CHARACTERS = 65_536;

/**
 * Writes `{"settings":[…]}` batch by batch, so that neither memory nor the time per turn grows with the number of
 * settings. Respects backpressure; stops when the client disconnects.
 * @throws what reading throws; nothing is sent before the first chunk, so an error response is still possible
 */
async function writeSettingList(batches: AsyncIterable<Setting[]>, res: ServerResponse): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  let chunk = '{"settings":[';
  let separator = '';

  /** Sends the header together with the first chunk. */
  function take(): string {
    if (!res.headersSent) res.setHeader('Content-Type', 'application/json; charset=utf-8');
    const text = chunk;
    chunk = '';
    return text;
  }

  async function flush(): Promise<void> {
    const ready = res.write(take());
    if (!ready && !gone.signal.aborted) await once(res, 'drain', { signal: gone.signal }).catch(() => {});
    // `drain` may fire within the same turn: let other requests run.
    await nextTurn();
  }

  for await (const batch of batches) {
    for (const setting of batch) {
      if (gone.signal.aborted) return;
      chunk += separator + JSON.stringify(setting);
      separator = ',';
      if (chunk.length >= CHUNK_CHARACTERS) await flush();
    }
    await nextTurn();
  }
  res.end(`${take()}]}`);
}

/** `/api/setting-history`: earlier versions of settings. */
function historyRouter(history: SettingsVault['history'], authoriseDecryption: AuthoriseDecryption): Router {
  return pathRoutes({
    'GET /': async (req, res) => {
      const key = parseSettingKey(req.query['key']);
      const given = req.query['version'];
      const version =
        given === undefined
          ? undefined
          : parseVersion(typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : undefined);
      if (!decryptParameter(req)) {
        const versions = await history.versions(key);
        return sendVersions(res, version === undefined ? versions : versions.filter((one) => one.version === version));
      }
      if (version === undefined) throw badRequest('version', 'is required with decrypt=true');
      const revealed = await history.reveal({ key, version }, authoriseDecryption(res));
      if (revealed === undefined) throw noSuchVersion();
      sendVersions(res, [revealed]);
    },
    'DELETE /': async (req, res) => {
      await history.forget(parseSettingKey(req.query['key']), sessionOf(res).identityId, reasonOf(req));
      res.status(204).end();
    },
    'POST /restore': async (req, res) => {
      const { key, version } = bodyFields(req.body, ['key', 'version']);
      const restoration = { key: parseSettingKey(key), version: parseVersion(version) };
      const precondition = preconditionOf(req.headers);
      const restored = await history.restore(restoration, sessionOf(res).identityId, precondition, reasonOf(req));
      if (restored === undefined) throw noSuchVersion();
      sendChanged(res, restored);
    },
  }).use(sendRefusal);
}

/** `POST /api/encrypt` `{value, key?}` → `{encrypted}`. */
const encryptRouter = (vault: SettingsVault): Router =>
  pathRoutes({
    'POST /': async (req, res) => {
      const fields = bodyFields(req.body, ['value', 'key']);
      const input: EncryptInput = { value: parseSettingValue(fields.value) };
      if (fields.key !== undefined) input.key = parseSettingKey(fields.key);
      const encrypted = await vault.encryptValue(input, sessionOf(res).identityId);
      res.json({ encrypted } satisfies EncryptResult);
    },
  });

/** Sends 200 or 201 with the changed setting, its entity tag, and the number of the version that was kept. */
function sendChanged(res: Response, { setting, created, kept }: ChangedSetting): void {
  if (created) res.status(201).setHeader('Location', `/api/settings/${encodeURIComponent(setting.key)}`);
  if (kept !== undefined) res.setHeader(KEPT_VERSION_HEADER, kept);
  sendJson(res, setting, settingTag(setting));
}

const sendVersions = (res: Response, versions: SettingHistory['versions']): void =>
  sendJson(res, { versions } satisfies SettingHistory);

/** @throws 400 */
function parseVersion(version: unknown): number {
  if (!Number.isSafeInteger(version) || Number(version) < 1) throw badRequest('version', 'must be a positive integer');
  return Number(version);
}

const noSuchVersion = (): ApiError =>
  new ApiError('not_found', { message: 'This version of the setting does not exist, or is no longer kept.' });

const REFUSALS: Record<SettingRefusal, (cause: unknown) => ApiError> = {
  changed: () => new ApiError('precondition_failed'),
  exists: () => new ApiError('precondition_failed', { message: 'A setting with this key already exists.' }),
  undecryptable: (cause) => new ApiError('decryption_failed', { cause }),
  plain_credential: () =>
    badRequest('version', 'was stored in plain text and cannot be restored: this key holds a credential'),
};

const sendRefusal: ErrorRequestHandler = (error, _req, _res, next) =>
  next(error instanceof SettingRefused ? REFUSALS[error.reason](error.cause) : error);

/** @throws 400 that names the problem. `.` and `..` could not be addressed, since paths are normalised. */
function parseSettingKey(value: unknown): string {
  const key = labelField('key', value, SETTING_KEY_MAX_CHARACTERS);
  if (key === '.' || key === '..') throw badRequest('key', 'must not be . or ..');
  return key;
}

/** @throws 400 that names the field */
const parseSettingValue = (value: unknown): string => textField('value', value, SETTING_VALUE_MAX_BYTES);

/** Parses the body of `POST /api/settings` (docs/api.md#settings). @throws 400 that names the field */
export function parseSettingInput(body: unknown): SettingInput {
  const fields = bodyFields(body, ['key', 'value', 'encrypted', 'category']);
  const input: SettingInput = { key: parseSettingKey(fields.key), value: parseSettingValue(fields.value) };
  if (fields.encrypted !== undefined) input.encrypted = booleanField('encrypted', fields.encrypted);
  if (fields.category !== undefined)
    input.category =
      fields.category === null ? null : labelField('category', fields.category, SETTING_CATEGORY_MAX_CHARACTERS);
  if (input.encrypted === false && isAlwaysEncrypted(input.key))
    throw badRequest('encrypted', 'must not be false for this key, which holds a credential');
  const rule = brokenRule(input.key, input.value);
  if (rule !== undefined) throw badRequest('value', `must be ${rule}`);
  return input;
}

/** `If-None-Match: *`, otherwise `If-Match` (RFC 9110, section 13.1); undefined without either. */
function preconditionOf(headers: IncomingHttpHeaders): SettingPrecondition | undefined {
  if (headers['if-none-match']?.trim() === '*') return 'create';
  return headers['if-match'] === undefined ? undefined : ifMatch(headers['if-match']);
}

/** Whether plain text is requested. @throws 400 */
const decryptParameter = ({ query }: Request): boolean => booleanParameter('decrypt', onceParameter(query, 'decrypt'));

/** @throws 400 for a repeated parameter */
function onceParameter(query: Request['query'], name: string): string | undefined {
  const value = query[name];
  if (value !== undefined && typeof value !== 'string') throw badRequest(name, 'must be given once');
  return value;
}

/** No setting has an empty category, so an empty parameter counts as absent. @throws 400 */
const categoryIn = ({ query }: Request): string | undefined => onceParameter(query, 'category') || undefined;

/** Undefined for the whole list. @throws 400 */
function pageQuery(req: Request): SettingPageQuery | undefined {
  const { page_size, page_token, key_contains } = req.query;
  if (page_size === undefined && page_token === undefined && key_contains === undefined) return undefined;
  const token = pageTokenParameter(page_token);
  const after = token === undefined ? '' : keyOfToken(token);
  if (after === undefined) throw new ApiError('invalid_page_token');
  const refusal = (): ApiError =>
    badRequest('key_contains', `must have at most ${SETTING_KEY_MAX_CHARACTERS} characters and no control characters`);
  return {
    after,
    size: pageSizeParameter(page_size),
    category: categoryIn(req),
    contains: textParameter(key_contains, SETTING_KEY_MAX_CHARACTERS, refusal),
  };
}

const settingNotFound = (): ApiError => new ApiError('not_found', { message: 'Setting not found.' });

/**
 * `settings:set KEY` with the value on standard input: the way in if a wrong key has locked everyone out. A new setting
 * is stored encrypted, an existing one as before. One trailing line break is not part of the value.
 * @throws ApiError `bad_request` that names the problem with key or value
 */
export async function setFromCommandLine(
  vault: SettingsVault,
  key: string,
  input: AsyncIterable<Uint8Array>,
): Promise<{ setting: Setting; created: boolean }> {
  const stored = await vault.get(parseSettingKey(key));
  const value = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await buffer(input));
  const body = { key, value: value.replace(/\r?\n$/, ''), ...(stored === undefined ? { encrypted: true } : {}) };
  return vault.put(parseSettingInput(body), 'command-line');
}
