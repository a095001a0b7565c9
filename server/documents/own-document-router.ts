import { type Request, Router } from 'express';
import { ApiError } from '../http/api-error.ts';
import { ifMatch } from '../http/if-match.ts';
import { methodNotAllowed } from '../http/method-not-allowed.ts';
import { sendJson } from '../http/send-json.ts';
import type { SessionVerifier } from '../session/session-verifier.ts';
import type { OwnDocuments } from './own-documents.ts';

/**
 * `GET` and `PUT` of an operator's own document. The session is verified here again, as a second layer: the document is
 * that of the identity in the cookie, whatever precedes this router. A PUT with `If-Match` is 412 if another tab has
 * saved meanwhile; without it, the last write wins.
 * @param parse validates the body of a PUT; throws 400
 */
export function ownDocumentRouter<Document>(options: {
  documents: OwnDocuments<Document>;
  parse: (body: unknown) => Document;
  verify: SessionVerifier;
}): Router {
  const { documents, parse, verify } = options;
  async function operatorOf(req: Request): Promise<string> {
    const session = await verify(req);
    if (typeof session === 'string') throw new ApiError('not_authenticated');
    return session.identityId;
  }

  const router = Router({ caseSensitive: true, strict: false });
  router
    .route('/')
    .get(async (req, res) => {
      const { document, tag } = await documents.find(await operatorOf(req));
      res.setHeader('ETag', tag);
      sendJson(res, document);
    })
    .put(async (req, res) => {
      const operator = await operatorOf(req);
      const document = parse(req.body);
      const tag = await documents.save(operator, document, ifMatch(req.headers['if-match']));
      if (tag === undefined) throw new ApiError('precondition_failed');
      res.setHeader('ETag', tag);
      sendJson(res, document);
    })
    .all(methodNotAllowed('GET, HEAD, PUT'));
  return router;
}
