import { hash } from 'node:crypto';
import { type Request, Router } from 'express';
import type { Database } from '../../db/database.ts';
import { ApiError, methodNotAllowed } from '../../http/errors.ts';
import { ifMatch } from '../../http/parameters.ts';
import { sendJson } from '../../http/response.ts';
import type { SessionVerifier } from '../../session/session-verifier.ts';

/** A document and its strong entity tag (RFC 9110, section 8.8.3). */
export interface TaggedDocument<Document> {
  document: Document;
  tag: string;
}

/** One document for each operator, which is read and replaced as a whole. */
export interface OwnDocuments<Document> {
  /** @returns the initial document for an operator who has stored none */
  find(identityId: string): Promise<TaggedDocument<Document>>;
  /**
   * @param isExpected called with the tag of the stored document, atomically with the write
   * @returns the new tag, or undefined if the stored document was not the expected one
   */
  save(identityId: string, document: Document, isExpected: (tag: string) => boolean): Promise<string | undefined>;
}

/**
 * @param table has the columns `identity_id`, `updated_at` and `member`
 * @param member the only member of a document; its value is stored as JSON
 * @param initial the value for an operator who has stored none
 * @param now milliseconds since the epoch
 */
export function ownDocuments<Member extends string, Value>(options: {
  database: Database;
  table: string;
  member: Member;
  initial: Value;
  now: () => number;
}): OwnDocuments<Record<Member, Value>> {
  const { database, table, member, now } = options;
  const initial = JSON.stringify(options.initial);
  const read = database.statement<{ text: string }>(`select ${member} as text from ${table} where identity_id = ?`);
  return {
    async find(identityId) {
      const text = (await read.get(identityId))?.text ?? initial;
      return { document: { [member]: JSON.parse(text) } as Record<Member, Value>, tag: tagOf(text) };
    },
    save: (identityId, document, isExpected) =>
      database.transaction(async (trx) => {
        const own = { identity_id: identityId };
        const updated_at = new Date(now()).toISOString();
        // Insert a row first, so that it can be locked: of two concurrent first saves, the second one waits here.
        await trx(table)
          .insert({ ...own, [member]: initial, updated_at })
          .onConflict('identity_id')
          .merge(own);
        const stored: { text: string } | undefined = await trx(table).where(own).forUpdate().first({ text: member });
        if (!isExpected(tagOf(stored?.text ?? initial))) return undefined;
        const text = JSON.stringify(document[member]);
        await trx(table)
          .where(own)
          .update({ [member]: text, updated_at });
        return tagOf(text);
      }),
  };
}

const tagOf = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;

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
