import type { Router } from 'express';
import { AUDIT_ACTIONS, type AuditPage } from '../../../shared/audit.ts';
import type { ChainWatch } from '../../audit/chain-watch.ts';
import type { AuditPosition, AuditSearch } from '../../audit/search.ts';
import { ApiError, badRequest } from '../../http/errors.ts';
import {
  choiceParameter,
  namedParameter,
  pageSizeParameter,
  pageTokenParameter,
  timeParameter,
} from '../../http/parameters.ts';
import { readRoutes } from '../../http/response.ts';

const ACTOR_MAX_CHARACTERS = 255;
/** The length of `setting:` and the longest key. */
const SUBJECT_MAX_CHARACTERS = 1040;

/**
 * Validates the query of `GET /api/security/audit`. An empty parameter counts as absent.
 * @throws 400 that names the parameter, `invalid_page_size` or `invalid_page_token`
 */
function parseAuditQuery(query: Record<string, unknown>) {
  const text = (name: string, max: number): string | undefined => namedParameter(name, query[name], max);
  return {
    filter: {
      action: choiceParameter('action', text('action', 64), AUDIT_ACTIONS),
      actor: text('actor', ACTOR_MAX_CHARACTERS),
      // Records have UUIDs in lower case.
      subject: text('subject', SUBJECT_MAX_CHARACTERS)?.replace(/^(?:identity|session):.*/, (one) => one.toLowerCase()),
      from: timeParameter('from', text('from', 64)),
      to: timeParameter('to', text('to', 64)),
      changes: booleanIn('changes', text('changes', 64)),
    },
    size: pageSizeParameter(query['page_size']),
    after: positionIn(pageTokenParameter(query['page_token'])),
  };
}

function booleanIn(name: string, text: string | undefined): boolean {
  if (text !== undefined && text !== 'true' && text !== 'false') throw badRequest(name, 'must be true or false');
  return text === 'true';
}

const POSITION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\/(\d{1,15})\/(\d{1,15})$/;

/** An opaque page token. */
const pageTokenOf = ({ timestamp, sequence, head }: AuditPosition): string =>
  Buffer.from(`${timestamp}/${sequence}/${head}`).toString('base64url');

/** A forged token is harmless: it only limits the search, whose results its sender may read anyway. */
function positionIn(token: string | undefined): AuditPosition | undefined {
  if (token === undefined) return undefined;
  const [, timestamp, sequence, head] = POSITION.exec(Buffer.from(token, 'base64url').toString('latin1')) ?? [];
  if (timestamp === undefined) throw new ApiError('invalid_page_token');
  return { timestamp, sequence: Number(sequence), head: Number(head) };
}

/** `GET /api/security/audit` and `GET …/chain`. */
export function auditRouter(search: Pick<AuditSearch, 'page'>, watch: Pick<ChainWatch, 'state'>): Router {
  return readRoutes({
    '/': async (req, res) => {
      const { filter, size, after } = parseAuditQuery(req.query);
      const { records, next } = await search.page(filter, size, after);
      const next_page_token = next === undefined ? null : pageTokenOf(next);
      res.json({ events: records, next_page_token, has_more: next !== undefined } satisfies AuditPage);
    },
    '/chain': async (_req, res) => void res.json(await watch.state()),
  });
}
