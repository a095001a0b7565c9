import { Router } from 'express';
import { type NamedSubject, SUBJECT_NAMES_MAX, type SubjectNames } from '../../../shared/security.ts';
import { isUuid } from '../../../shared/uuid.ts';
import { badRequest } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { SubjectNaming } from './subject-names.ts';

/** `GET /api/security/subject-names`: whom and what the records of the trail are about. */
export function subjectNamesRouter(names: SubjectNaming): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .get(async (req, res) => {
      res.json({ names: await names(parseSubjects(req.query['subject'])) } satisfies SubjectNames);
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}

/** The width of the column, which no client's id can exceed. */
const CLIENT_MAX_BYTES = 1040;

/** @throws 400 `bad_request` that names the parameter */
function parseSubjects(parameter: unknown): NamedSubject[] {
  const subjects: unknown[] = parameter === undefined ? [] : [parameter].flat();
  if (subjects.length === 0 || subjects.length > SUBJECT_NAMES_MAX)
    throw badRequest('subject', `must be given 1 to ${SUBJECT_NAMES_MAX} times`);
  return subjects.map((subject): NamedSubject => {
    const [, kind, id = ''] = typeof subject === 'string' ? (/^(identity|client):(.+)$/su.exec(subject) ?? []) : [];
    if (kind === 'identity' && isUuid(id)) return `identity:${id.toLowerCase()}`;
    if (kind === 'client' && isName(id)) return `client:${id}`;
    throw badRequest('subject', 'must be `identity:` and a UUID, or `client:` and an id');
  });
}

const isName = (id: string): boolean => Buffer.byteLength(id) <= CLIENT_MAX_BYTES && !/\p{Cc}|\p{Surrogate}/u.test(id);
