import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  type EncryptInput,
  type EncryptResult,
  KEPT_VERSION_HEADER,
  type SettingHistory as Listed,
  SETTING_KEY_MAX_CHARACTERS,
  type Setting,
  type SettingRestoration,
} from '../../shared/settings.ts';
import { bodyFields } from '../http/bodies.ts';
import { ApiError, badRequest, methodNotAllowed } from '../http/errors.ts';
import type { RateLimit } from '../http/limits.ts';
import { pageSizeParameter, pageTokenParameter, textParameter } from '../http/parameters.ts';
import { sendJson } from '../http/response.ts';
import { sessionOf } from '../session/session-verifier.ts';
import type { ChangedSetting, SettingHistory } from './history.ts';
import {
  decryptParameter,
  onceParameter,
  parseSettingInput,
  parseSettingKey,
  preconditionOf,
  settingTag,
} from './input.ts';
import { keyOfToken, type SettingPageQuery } from './store.ts';
import type { SettingsVault } from './vault.ts';

const CHUNK_CHARACTERS = 65_536;

/**
 * Writes `{"settings":[…]}` batch by batch, so that neither memory nor the time per turn grows with their number.
 * Respects backpressure; stops when the client disconnects.
 * @throws what reading throws; nothing is sent before the first chunk, so an error response is still possible
 */
export async function writeSettingList(batches: AsyncIterable<Setting[]>, res: ServerResponse): Promise<void> {
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

/** What settings were (docs/api.md#settings). @param decryptions how often a session may reveal plain text */
export function settingHistoryRouter(history: SettingHistory, decryptions: RateLimit): Router {
  const router = Router({ caseSensitive: true, strict: false });

  router
    .route('/')
    .get(async (req, res) => {
      const key = parseSettingKey(req.query['key']);
      const version = versionParameter(req);
      if (!decryptParameter(req)) {
        const versions = await history.versions(key);
        return sendVersions(res, version === undefined ? versions : versions.filter((one) => one.version === version));
      }
      if (version === undefined) throw badRequest('version', 'is required with decrypt=true');
      const { identityId, sessionId } = sessionOf(res);
      decryptions.use(sessionId);
      const revealed = await history.reveal({ key, version }, identityId);
      if (revealed === undefined) throw noSuchVersion();
      sendVersions(res, [revealed]);
    })
    .delete(async (req, res) => {
      await history.forget(parseSettingKey(req.query['key']), sessionOf(res).identityId);
      res.status(204).end();
    })
    .all(methodNotAllowed('GET, HEAD, DELETE'));

  router
    .route('/restore')
    .post(async (req, res) => {
      const { identityId } = sessionOf(res);
      const restored = await history.restore(parseRestoration(req.body), identityId, preconditionOf(req.headers));
      if (restored === undefined) throw noSuchVersion();
      sendChanged(res, restored);
    })
    .all(methodNotAllowed('POST'));

  return router;
}

/** 200 or 201 with the setting as it is now, its entity tag and the version kept of what it was. */
export function sendChanged(res: Response, { setting, created, kept }: ChangedSetting): void {
  if (created) res.status(201).setHeader('Location', `/api/settings/${encodeURIComponent(setting.key)}`);
  if (kept !== undefined) res.setHeader(KEPT_VERSION_HEADER, kept);
  sendJson(res, setting, settingTag(setting));
}

const sendVersions = (res: Response, versions: Listed['versions']): void =>
  sendJson(res, { versions } satisfies Listed);

/** @throws 400 */
function parseRestoration(body: unknown): SettingRestoration {
  const { key, version } = bodyFields(body, ['key', 'version']);
  return { key: parseSettingKey(key), version: parseVersion(version) };
}

/** @throws 400 */
function parseVersion(version: unknown): number {
  if (!(Number.isSafeInteger(version) && (version as number) > 0))
    throw badRequest('version', 'must be a positive integer');
  return version as number;
}

/** @throws 400 */
function versionParameter({ query }: Pick<Request, 'query'>): number | undefined {
  const { version } = query;
  if (version === undefined) return undefined;
  return parseVersion(typeof version === 'string' && /^\d{1,16}$/.test(version) ? Number(version) : undefined);
}

const noSuchVersion = (): ApiError =>
  new ApiError('not_found', { message: 'This version of the setting is not kept, or not any more.' });

/** The settings' own validation and encryption. */
export interface EncryptTools {
  parseKey: (value: unknown) => string;
  parseValue: (value: unknown) => string;
  encrypt: (input: EncryptInput, actor: string) => Promise<string>;
}

/** `POST /api/encrypt` `{value, key?}` → `{encrypted}`. */
export function encryptRouter({ parseKey, parseValue, encrypt }: EncryptTools): Router {
  const router = Router({ caseSensitive: true, strict: false });
  router
    .route('/')
    .post(async (req, res) => {
      const fields = bodyFields(req.body, ['value', 'key']);
      const input: EncryptInput = { value: parseValue(fields.value) };
      if (fields.key !== undefined) input.key = parseKey(fields.key);
      const result: EncryptResult = { encrypted: await encrypt(input, sessionOf(res).identityId) };
      res.json(result);
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/**
 * The settings (docs/api.md#settings).
 * @param decryptions how often a session may reveal plain text
 * @param wholeLists lets so many lists of all settings on at once; any number without it
 */
export function settingsRouter(vault: SettingsVault, decryptions: RateLimit, wholeLists?: RequestHandler): Router {
  const router = Router({ caseSensitive: true, strict: false });

  router
    .route('/')
    .get((req, res, next) => {
      if (wholeLists === undefined || pageQuery(req) !== undefined) next();
      else wholeLists(req, res, next);
    })
    .get((req, res) => {
      const page = pageQuery(req);
      return page === undefined
        ? writeSettingList(vault.list(onceParameter(req.query, 'category')), res)
        : vault.page(page).then((found) => sendJson(res, found));
    })
    .post(async (req, res) => {
      const input = parseSettingInput(req.body);
      sendChanged(res, await vault.put(input, sessionOf(res).identityId, preconditionOf(req.headers)));
    })
    .all(methodNotAllowed('GET, HEAD, POST'));

  router
    .route('/:key')
    .get(readOne(vault, decryptions))
    .delete(async (req, res) => {
      const { identityId } = sessionOf(res);
      const kept = await vault.remove(req.params.key, identityId, preconditionOf(req.headers));
      if (kept === undefined) throw settingNotFound();
      res.status(204).setHeader(KEPT_VERSION_HEADER, kept).end();
    })
    .all(methodNotAllowed('GET, HEAD, DELETE'));

  return router;
}

function readOne(vault: SettingsVault, decryptions: RateLimit): RequestHandler<{ key: string }> {
  function send(res: Response, setting: Setting | undefined): void {
    if (setting === undefined) throw settingNotFound();
    sendJson(res, setting, settingTag(setting));
  }
  /** Without a tag, which is that of the setting as stored. */
  function sendRevealed(res: Response, setting: Setting | undefined): void {
    if (setting === undefined) throw settingNotFound();
    sendJson(res, setting);
  }

  return (req, res) => {
    const { identityId, sessionId } = sessionOf(res);
    const { key } = req.params;
    if (decryptParameter(req)) {
      decryptions.use(sessionId);
      return vault.reveal(key, identityId).then((setting) => sendRevealed(res, setting));
    }
    return vault.get(key).then((setting) => send(res, setting));
  };
}

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
    category: onceParameter(req.query, 'category'),
    contains: textParameter(key_contains, SETTING_KEY_MAX_CHARACTERS, refusal),
  };
}

const settingNotFound = (): ApiError => new ApiError('not_found', { message: 'Setting not found.' });
