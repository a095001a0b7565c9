import type { AuditRecord } from '../../shared/audit.ts';

/** Wording of a change made through an admin API. The name of its subject follows, if there is one. */
export interface ProxiedAct {
  /** "deleted" */
  past: string;
  /** "delete": for a change that was not made. */
  infinitive: string;
  /** "there was none": for a deletion that found nothing to delete. */
  absent?: string | undefined;
}

/** `absent`: what a 404 means where there was nothing to delete, which is not an error. */
type Rule = readonly [method: string, path: string, past: string, infinitive: string, absent?: string];

/** Matched by method and path below the prefix; `*` is one segment. */
const RULES: readonly Rule[] = [
  ['POST', 'identities', 'created', 'create'],
  ['PATCH', 'identities', 'created or changed several identities', 'create or change several identities'],
  ['PUT', 'identities/*', 'changed', 'change'],
  ['PATCH', 'identities/*', 'changed', 'change'],
  ['DELETE', 'identities/*', 'deleted', 'delete', 'it did not exist'],
  ['DELETE', 'identities/*/sessions', 'ended all sessions of', 'end all sessions of', 'there were none'],
  ['DELETE', 'identities/*/credentials/*', 'deleted a credential of', 'delete a credential of', 'there was none'],
  ['POST', 'recovery/code', 'created a recovery code', 'create a recovery code'],
  ['POST', 'recovery/link', 'created a recovery link', 'create a recovery link'],
  ['DELETE', 'sessions/*', 'ended', 'end', 'it did not exist'],
  ['PATCH', 'sessions/*/extend', 'extended', 'extend'],
  ['POST', 'clients', 'created', 'create'],
  ['PUT', 'clients/*', 'changed', 'change'],
  ['PATCH', 'clients/*', 'changed', 'change'],
  ['DELETE', 'clients/*', 'deleted', 'delete', 'it did not exist'],
  ['PUT', 'clients/*/lifespans', 'changed the token lifespans of', 'change the token lifespans of'],
  ['DELETE', 'oauth2/auth/sessions/consent', 'revoked consents', 'revoke consents'],
  ['DELETE', 'oauth2/auth/sessions/login', 'ended sign-ins', 'end sign-ins'],
  ['DELETE', 'oauth2/tokens', 'deleted the tokens of a client', 'delete the tokens of a client'],
  ['POST', 'oauth2/introspect', 'introspected a token', 'introspect a token'],
];

const SEARCHED = RULES.map(([method, path, past, infinitive, absent]) => ({
  method,
  path: new RegExp(`^/api/[^/]+-admin/(?:admin/)?${path.replaceAll('*', '[^/]+')}/?$`),
  act: { past, infinitive, absent },
}));

/** An unknown request is described by its method and path. */
export function proxiedAct({ target, details }: Pick<AuditRecord, 'target' | 'details'>): ProxiedAct {
  const found = SEARCHED.find(({ method, path }) => method === details.method && path.test(target ?? ''));
  if (found !== undefined) return found.act;
  const request = `${details.method ?? 'a request'} ${target ?? ''}`.trim();
  return { past: `sent ${request}`, infinitive: `send ${request}` };
}

/** The outcome of a request that changed nothing; the status may be the upstream's or the service's own. */
export function outcomeOf({ details }: Pick<AuditRecord, 'details'>): string | undefined {
  const { status } = details;
  if (status === null) return 'the outcome is unknown';
  if (typeof status !== 'number' || status < 400) return undefined;
  return `it ${status < 500 ? 'was refused' : 'failed'} with status ${status}`;
}
