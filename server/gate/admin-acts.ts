import type { Request, RequestHandler, Response } from 'express';
import { type Capability, can } from '../../shared/capabilities.ts';
import { isUuid } from '../../shared/json.ts';
import { identityService } from '../../shared/upstreams.ts';
import type { Config, Upstream } from '../config/config.ts';
import { hasNoBody } from '../http/bodies.ts';
import { ApiError, sendError } from '../http/errors.ts';
import { readAhead } from '../http/read-ahead.ts';
import { isUnsafeMethod } from '../http/response.ts';
import { sessionOf } from '../session/session-verifier.ts';

/** The capability that a request needs, and the query parameters that it may have, each once. */
type Row = readonly [needs: Capability, parameters?: string];

const PAGES = 'page_size page_token';
/** These may be repeated. */
const REPEATED = new Set(['page_size', 'expand', 'ids']);
/** Must be given, once, as a UUID: nothing else names a person who could be looked up. */
const SUBJECT = 'subject';

/**
 * What roles without `upstreams.write` may do at Kratos' admin API (v26.2), by the path below `/admin/`. Every other
 * route is for administrators: those that edit people, those whose responses contain credentials, codes or messages,
 * and undocumented ones. So is every parameter that is not listed, such as `include_credential`.
 */
const KRATOS: Record<string, Row> = {
  'GET identities': [
    'identities.read',
    `${PAGES} page per_page ids credentials_identifier preview_credentials_identifier_similar organization_id consistency`,
  ],
  'GET identities/:uuid': ['identities.read'],
  'GET identities/by/external/:id': ['identities.read'],
  // Only with a body of `STATES`.
  'PATCH identities/:uuid': ['identities.state'],
  'DELETE identities/:uuid/credentials/totp': ['second-factors.remove'],
  'DELETE identities/:uuid/credentials/lookup_secret': ['second-factors.remove'],
  'DELETE identities/:uuid/credentials/webauthn': ['second-factors.remove'],
  'GET identities/:uuid/sessions': ['sessions.read', `${PAGES} page per_page active`],
  'DELETE identities/:uuid/sessions': ['sessions.end'],
  'GET sessions': ['sessions.read', `${PAGES} active expand`],
  'GET sessions/:uuid': ['sessions.read', 'expand'],
  'DELETE sessions/:uuid': ['sessions.end'],
};

/** The same for Hydra's admin API (v26.2). */
const HYDRA: Record<string, Row> = {
  'GET clients': ['clients.read', `${PAGES} client_name owner`],
  'GET clients/:id': ['clients.read'],
  'GET trust/grants/jwt-bearer/issuers': ['clients.read', `${PAGES} issuer`],
  'GET trust/grants/jwt-bearer/issuers/:uuid': ['clients.read'],
  'GET oauth2/auth/sessions/consent': ['consents.read', `${SUBJECT} ${PAGES} login_session_id`],
  'DELETE oauth2/auth/sessions/consent': ['consents.revoke', `${SUBJECT} client all`],
  'DELETE oauth2/auth/sessions/login': ['sessions.end', SUBJECT],
};

/** The bodies that change nothing but the state. Compared byte for byte, so that no server can read another document. */
const STATES = ['active', 'inactive'].map((value) =>
  Buffer.from(JSON.stringify([{ op: 'replace', path: '/state', value }])),
);

const UUID = '([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})';

const compiled = (rows: Record<string, Row>) =>
  Object.entries(rows).map(([route, [needs, parameters = '']]) => {
    const [method = '', path = ''] = route.split(' ');
    const pattern = path.replaceAll(':uuid', UUID).replaceAll(':id', '[^/]+');
    return { method, path: new RegExp(`^/admin/${pattern}$`), needs, parameters: parameters.split(' ') };
  });

/** Names and values of a query, unless servers could disagree on it. */
function parametersOf(query: string): (readonly [string, string])[] | undefined {
  const pairs = query === '' ? [] : query.split('&');
  const read = pairs.map((pair) => /^([a-z_]+)=((?:[^%;#]|%[0-9a-f]{2})*)$/i.exec(pair));
  if (read.includes(null)) return undefined;
  return read.map((match) => [match?.[1] ?? '', match?.[2] ?? '']);
}

/** @returns undefined for a request that is not in the table */
function actIn(rows: ReturnType<typeof compiled>, req: Request) {
  const [path = '', ...query] = req.url.split('?');
  const method = req.method === 'HEAD' ? 'GET' : req.method;
  const row = rows.find((one) => one.method === method && one.path.test(path));
  const given = parametersOf(query.join('?'));
  if (row === undefined || given === undefined) return undefined;
  const names = given.map(([name]) => name);
  if (!names.every((name, at) => row.parameters.includes(name) && (REPEATED.has(name) || names.indexOf(name) === at)))
    return undefined;
  const subject = given.find(([name]) => name === SUBJECT)?.[1] ?? '';
  if (row.parameters.includes(SUBJECT) && !isUuid(subject)) return undefined;
  const [, id] = row.path.exec(path) ?? [];
  const concerned = path.startsWith('/admin/sessions/') ? { session: id ?? '' } : { identity: id ?? subject };
  return { needs: row.needs, concerned: isUnsafeMethod(method) ? concerned : undefined };
}

const FORBIDDEN = new ApiError('forbidden');

/**
 * 403 for a request to an admin API that the role may not make: default deny, judged on the canonical path. Mounted
 * behind the session. Whom a write concerns is in `concernedBy` afterwards, and looked up when the write is forwarded.
 */
export function limitActs(
  upstream: Upstream,
  { deployment, proxyTimeoutMs }: Pick<Config, 'deployment' | 'proxyTimeoutMs'>,
): RequestHandler {
  const isOwn = upstream.name === identityService(deployment).adminApi;
  const rows = compiled(isOwn ? KRATOS : upstream.holdsIdentities ? {} : HYDRA);

  return (req, res, next) => {
    const { role } = sessionOf(res);
    if (can(role, 'upstreams.write')) return next();
    const act = actIn(rows, req);
    if (act === undefined || !can(role, act.needs)) return sendError(req, res, FORBIDDEN);
    res.locals.concerned = act.concerned;
    const isState = act.needs === 'identities.state';
    // With a body, the caller could delay a write until long after the check of whom it concerns.
    if (!isState && hasNoBody(req)) return next();
    if (!isState || !mayBeState(req)) return sendError(req, res, FORBIDDEN);
    readAhead(req, proxyTimeoutMs).then((body) => {
      if (STATES.some((state) => state.equals(body))) return next();
      req.resume();
      sendError(req, res, FORBIDDEN);
    }, next);
  };
}

/** Servers could disagree on where a chunked body ends. */
const mayBeState = ({ headers }: Request): boolean =>
  headers['content-type'] === 'application/json' &&
  headers['content-encoding'] === undefined &&
  STATES.some(({ length }) => headers['content-length'] === String(length));

/** Whom the write of a role without `upstreams.write` concerns, as its path or query says. */
export const concernedBy = (res: Response) =>
  res.locals.concerned as NonNullable<ReturnType<typeof actIn>>['concerned'];
