import { type Request, type Response, Router } from 'express';
import {
  KEPT_VERSION_HEADER,
  type SettingHistory as Listed,
  type SettingRestoration,
} from '../../../shared/settings.ts';
import { ApiError, badRequest } from '../../http/api-error.ts';
import { bodyFields } from '../../http/json-fields.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { sendJson } from '../../http/send-json.ts';
import { sessionOf } from '../../session/current-session.ts';
import { decryptParameter } from './query-parameters.ts';
import type { ChangedSetting, SettingHistory } from './setting-history.ts';
import { preconditionOf, settingTag } from './setting-precondition.ts';
import { parseSettingKey } from './settings-input.ts';

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
