import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  type EncryptInput,
  type EncryptResult,
  KEPT_VERSION_HEADER,
  SETTING_KEY_MAX_CHARACTERS,
  type Setting,
  type SettingHistory,
} from '../../shared/settings.ts';
import { bodyFields } from '../http/bodies.ts';
import { ApiError, badRequest, methodNotAllowed } from '../http/errors.ts';
import type { RateLimit } from '../http/limits.ts';
import { pageSizeParameter, pageTokenParameter, textParameter } from '../http/parameters.ts';
import { sendJson } from '../http/response.ts';
import { sessionOf } from '../session/session-verifier.ts';
import {
  decryptParameter,
  onceParameter,
  parseSettingInput,
  parseSettingKey,
  parseSettingValue,
  preconditionOf,
  settingTag,
} from '../settings/input.ts';
import { keyOfToken, type SettingPageQuery } from '../settings/store.ts';
import type { ChangedSetting, SettingsVault } from '../settings/vault.ts';

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

/** Earlier versions of settings (docs/api.md#settings). */
export function settingHistoryRouter(history: SettingsVault['history'], decryptions: RateLimit): Router {
  const router = Router({ caseSensitive: true, strict: false });

  router
    .route('/')
    .get(async (req, res) => {
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
      const { key, version } = bodyFields(req.body, ['key', 'version']);
      const restoration = { key: parseSettingKey(key), version: parseVersion(version) };
      const restored = await history.restore(restoration, sessionOf(res).identityId, preconditionOf(req.headers));
      if (restored === undefined) throw noSuchVersion();
      sendChanged(res, restored);
    })
    .all(methodNotAllowed('POST'));

  return router;
}

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

/** `POST /api/encrypt` `{value, key?}` → `{encrypted}`. */
export function encryptRouter(vault: SettingsVault): Router {
  const router = Router({ caseSensitive: true, strict: false });
  router
    .route('/')
    .post(async (req, res) => {
      const fields = bodyFields(req.body, ['value', 'key']);
      const input: EncryptInput = { value: parseSettingValue(fields.value) };
      if (fields.key !== undefined) input.key = parseSettingKey(fields.key);
      const encrypted = await vault.encryptValue(input, sessionOf(res).identityId);
      res.json({ encrypted } satisfies EncryptResult);
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/**
 * The settings (docs/api.md#settings). @param wholeLists limits how many lists of all settings are sent simultaneously
 */
export function settingsRouter(
  vault: SettingsVault,
  decryptions: RateLimit,
  wholeLists: RequestHandler = (_req, _res, next) => next(),
): Router {
  const router = Router({ caseSensitive: true, strict: false });

  router
    .route('/')
    .get((req, res, next) => {
      if (pageQuery(req) === undefined) wholeLists(req, res, next);
      else next();
    })
    .get((req, res) => {
      const page = pageQuery(req);
      return page === undefined
        ? writeSettingList(vault.list(categoryIn(req)), res)
        : vault.page(page).then((found) => sendJson(res, found));
    })
    .post(async (req, res) => {
      const input = parseSettingInput(req.body);
      sendChanged(res, await vault.put(input, sessionOf(res).identityId, preconditionOf(req.headers)));
    })
    .all(methodNotAllowed('GET, HEAD, POST'));

  router
    .route('/:key')
    .get(async (req, res) => {
      const { key } = req.params;
      const { identityId, sessionId } = sessionOf(res);
      const decrypt = decryptParameter(req);
      if (decrypt) decryptions.use(sessionId);
      const setting = await (decrypt ? vault.reveal(key, identityId) : vault.get(key));
      if (setting === undefined) throw settingNotFound();
      // The tag is that of the setting as stored, so it is left out for plain text.
      sendJson(res, setting, decrypt ? undefined : settingTag(setting));
    })
    .delete(async (req, res) => {
      const { identityId } = sessionOf(res);
      const kept = await vault.remove(req.params.key, identityId, preconditionOf(req.headers));
      if (kept === undefined) throw settingNotFound();
      res.status(204).setHeader(KEPT_VERSION_HEADER, kept).end();
    })
    .all(methodNotAllowed('GET, HEAD, DELETE'));

  return router;
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
