import { type Request, type RequestHandler, type Response, Router } from 'express';
import { KEPT_VERSION_HEADER, SETTING_KEY_MAX_CHARACTERS, type Setting } from '../../../shared/settings.ts';
import { ApiError, badRequest } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { pageSizeParameter, pageTokenParameter, textParameter } from '../../http/page-parameters.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { sendJson } from '../../http/send-json.ts';
import { sessionOf } from '../../session/current-session.ts';
import { decryptParameter, onceParameter } from './query-parameters.ts';
import { sendChanged } from './setting-history-router.ts';
import { keyOfToken, type SettingPageQuery } from './setting-pages.ts';
import { preconditionOf, settingTag } from './setting-precondition.ts';
import { parseSettingInput } from './settings-input.ts';
import type { SettingsVault } from './settings-vault.ts';
import { writeSettingList } from './write-setting-list.ts';

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
    const known = vault.getAtHand(key);
    return known ? send(res, known.setting) : vault.get(key).then((setting) => send(res, setting));
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
