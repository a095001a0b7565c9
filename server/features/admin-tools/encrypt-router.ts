import { Router } from 'express';
import type { EncryptInput, EncryptResult } from '../../../shared/settings.ts';
import { bodyFields } from '../../http/json-fields.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { sessionOf } from '../../session/current-session.ts';

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
