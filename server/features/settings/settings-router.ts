import { type Request, type RequestHandler, type Response, Router } from 'express';
import { SETTING_KEY_MAX_CHARACTERS, type Setting } from '../../../shared/settings.ts';
import { ApiError, badRequest } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { pageSizeParameter, pageTokenParameter, textParameter } from '../../http/page-parameters.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { sendJson } from '../../http/send-json.ts';
import { sessionOf } from '../../session/current-session.ts';
import { keyOfToken, type SettingPageQuery } from './setting-pages.ts';
import { parseSettingInput } from './settings-input.ts';
import type { SettingsVault } from './settings-vault.ts';
import { writeSettingList } from './write-setting-list.ts';

/** The settings (docs/api.md#settings). @param decryptions how often a session may reveal plain text */
export function settingsRouter(vault: SettingsVault, decryptions: RateLimit): Router {
  const router = Router({ caseSensitive: true, strict: false });

  router
    .route('/')
    .get((req, res) => {
      const page = pageQuery(req);
      return page === undefined
        ? writeSettingList(vault.list(queryParameter(req, 'category')), res)
        : vault.page(page).then((found) => sendJson(res, found));
    })
    .post(async (req, res) => {
      // RFC 9110, section 13.1.2; settings have no entity tags.
      const only = req.headers['if-none-match']?.trim() === '*' ? 'create' : undefined;
      const { setting, created } = await vault.put(parseSettingInput(req.body), sessionOf(res).identityId, only);
      if (created) res.status(201).setHeader('Location', `/api/settings/${encodeURIComponent(setting.key)}`);
      res.json(setting);
    })
    .all(methodNotAllowed('GET, HEAD, POST'));

  router
    .route('/:key')
    .get(readOne(vault, decryptions))
    .delete(async (req, res) => {
      if (!(await vault.remove(req.params.key, sessionOf(res).identityId))) throw settingNotFound();
      res.status(204).end();
    })
    .all(methodNotAllowed('GET, HEAD, DELETE'));

  return router;
}

function readOne(vault: SettingsVault, decryptions: RateLimit): RequestHandler<{ key: string }> {
  function send(res: Response, setting: Setting | undefined): void {
    if (setting === undefined) throw settingNotFound();
    sendJson(res, setting);
  }

  return (req, res) => {
    const { identityId, sessionId } = sessionOf(res);
    const { key } = req.params;
    if (wantsPlainText(req)) {
      decryptions.use(sessionId);
      return vault.reveal(key, identityId).then((setting) => send(res, setting));
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
    category: queryParameter(req, 'category'),
    contains: textParameter(key_contains, SETTING_KEY_MAX_CHARACTERS, refusal),
  };
}

function wantsPlainText(req: Request<{ key: string }>): boolean {
  const decrypt = queryParameter(req, 'decrypt');
  if (decrypt !== undefined && decrypt !== 'true' && decrypt !== 'false')
    throw badRequest('decrypt', 'must be true or false');
  return decrypt === 'true';
}

function queryParameter(req: Pick<Request, 'query'>, name: string): string | undefined {
  const value = req.query[name];
  if (value !== undefined && typeof value !== 'string') throw badRequest(name, 'must be given once');
  return value;
}

const settingNotFound = (): ApiError => new ApiError('not_found', { message: 'Setting not found.' });
