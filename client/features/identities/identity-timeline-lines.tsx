import { Anchor } from '@mantine/core';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDevice } from '../../../shared/format-device.ts';
import { timeOf } from '../../../shared/json.ts';
import type { LockedAccount } from '../../../shared/security.ts';
import { outcomeOf, type SignInEvent, type SignInGap } from '../../../shared/sign-ins.ts';
import type { Consent } from '../../api/consents.ts';
import type { Identity } from '../../api/identities.ts';
import type { ListedMessage } from '../../api/messages.ts';
import { useCan } from '../../api/session.ts';
import type { IdentitySession } from '../../api/sessions.ts';
import { formatChannel, formatReason, formatTemplate, messageStatus } from '../../lib/labels.ts';
import { addressIn, addressWithoutPort, formatMethods, sessionState } from '../../lib/session-labels.ts';
import { formatGap, formatSignIn, formatSignInMethod, joined } from '../../lib/sign-in-words.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { type TimelineLine, timeOfDay } from '../../record/timeline-sources.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { PlainLink } from '../../ui/layout.tsx';
import { SAME_SIGN_IN_MS } from '../sign-in-diagnosis/evidence.ts';
import { formatState } from './identity-resource.ts';

const To = ({ children, ...to }: { children: ReactNode } & Pick<LinkProps, 'to' | 'params' | 'search'>) => (
  <Anchor inherit underline="always" renderRoot={(props) => <PlainLink {...props} {...to} />}>
    {children}
  </Anchor>
);

const ToClient = ({ id, children }: { id: string; children: ReactNode }) =>
  !useCan()('clients.read') || id === '' ? (
    children
  ) : (
    <To to="/oauth/clients/$id" params={{ id }}>
      {children}
    </To>
  );

export function recordLines(identity: Identity): TimelineLine[] {
  const { id, created_at, updated_at, state, state_changed_at, verifiable_addresses = [] } = identity;
  const line = (name: string, at: string, text: ReactNode): TimelineLine => ({
    id: `record:${name}`,
    at,
    kind: 'record',
    text,
  });
  const overview = (words: string): ReactNode => (
    <To to="/identities/$id" params={{ id }}>
      {words}
    </To>
  );
  const lines = [line('created', created_at, overview('The identity was created'))];
  for (const { value, verified, verified_at } of verifiable_addresses)
    if (verified && typeof verified_at === 'string')
      lines.push(
        line(
          `verified ${value}`,
          verified_at,
          <>
            {overview('An address was verified')}: <bdi>{visibleText(value)}</bdi>
          </>,
        ),
      );
  if (state_changed_at !== undefined && isLater(state_changed_at, created_at))
    lines.push(line('state', state_changed_at, overview(`The state became ${formatState(state).toLowerCase()}`)));
  if (isLater(updated_at, state_changed_at ?? created_at) && isLater(updated_at, created_at))
    lines.push(line('updated', updated_at, overview('The identity was last changed')));
  return lines;
}

/** One action may cause several writes, with timestamps this close together. */
const SAME_ACT_MS = 1_000;
const isLater = (one: string, other: string): boolean => timeOf(one) - timeOf(other) > SAME_ACT_MS;

/** Signing in again to the same session adds a line. Kratos does not return when a session ended. */
export function sessionLines(session: IdentitySession, identity: Identity): TimelineLine[] {
  const { id, authenticated_at, issued_at, expires_at, authentication_methods } = session;
  const device = session.devices?.[0];
  const state = sessionState(session, identity);
  const end = {
    active: 'ends',
    'identity-inactive': 'person inactive, would end',
    ended: 'no longer active, would have ended',
  }[state];
  const line = (name: string, at: string, words: string): TimelineLine => ({
    id: `session:${id}:${name}`,
    at,
    kind: 'sessions',
    address: addressIn(device?.ip_address),
    text: (
      <>
        <To to="/sessions/$id" params={{ id }}>
          {words}
        </To>
        {`: ${formatDevice(device?.user_agent)}`}
      </>
    ),
    detail: (
      <>
        {`${addressWithoutPort(device?.ip_address) ?? 'unknown address'} · ${formatMethods(authentication_methods)} · ${end} `}
        <RelativeTime at={expires_at} />
      </>
    ),
  });
  return isLater(authenticated_at, issued_at)
    ? [line('again', authenticated_at, 'Signed in again'), line('started', issued_at, 'Session started')]
    : [line('started', authenticated_at, 'Signed in')];
}

/** Equal failures are one line if less than this is between them. */
const RUN_MS = 3_600_000;

/** @param events newest first @param sessions the lines of sessions, which may show the same sign-ins */
export function signInLines(events: readonly SignInEvent[], sessions: readonly TimelineLine[]): TimelineLine[] {
  const lineOf = ({ id, at, ip, place, device, service, ...event }: SignInEvent) => ({
    ...{ id: `sign-in:${id}`, at, kind: 'sessions' as const },
    text: joined(formatSignIn(event), place, device),
    detail: joined(ip && `reported from ${ip}`, formatSignInMethod(event), service),
  });
  const inSession = ({ event, session_id, at }: SignInEvent): boolean =>
    event === 'LoginSucceeded' &&
    sessions.some(
      (line) =>
        line.id.startsWith(`session:${session_id}:`) && Math.abs(timeOf(line.at) - timeOf(at)) < SAME_SIGN_IN_MS,
    );
  const runs: { event: SignInEvent; line: ReturnType<typeof lineOf>; times: number; first: string }[] = [];
  for (const event of events) {
    const [last, line] = [runs.at(-1), lineOf(event)];
    const isRepeat =
      outcomeOf(event.event) === 'failed' && last?.line.text === line.text && last.line.detail === line.detail;
    if (isRepeat && timeOf(last.first) - timeOf(event.at) < RUN_MS) {
      last.times += 1;
      last.first = event.at;
    } else runs.push({ event, line, times: 1, first: event.at });
  }
  return runs
    .filter(({ event }) => !inSession(event))
    .map(({ line, times, first }) =>
      times === 1 ? line : { ...line, text: `${line.text}, ${times} times since ${timeOfDay(first)}` },
    );
}

export const gapLine = (gap: SignInGap): TimelineLine => ({
  id: `gap:${gap.cause}:${gap.detail}:${gap.from}`,
  at: gap.to,
  kind: 'sessions',
  text: `Sign-ins may be missing. ${formatGap(gap)}`,
});

export function messageLine({
  id,
  template,
  channel,
  recipient,
  status,
  attempts,
  created,
}: ListedMessage): TimelineLine {
  const { dot, label } = messageStatus(status, attempts);
  return {
    id: `message:${id}`,
    at: created,
    kind: 'messages',
    text: (
      <>
        <To to="/messages/$id" params={{ id }}>
          {visibleText(formatTemplate(template))}
        </To>
        {`, ${visibleText(formatChannel(channel)).toLowerCase()} to `}
        <bdi>{visibleText(recipient)}</bdi>
      </>
    ),
    detail: (
      <>
        <StatusDot status={dot}>{visibleText(label)}</StatusDot>
        {attempts > 1 && status !== 'queued' && ` after ${attempts} attempts`}
      </>
    ),
  };
}

export function consentLine(consent: Consent, identityId: string): TimelineLine {
  const { id, at, clientId, clientName, scopes, methods } = consent;
  const name = <bdi>{visibleText(clientName || clientId || 'a client without a name')}</bdi>;
  return {
    id: `consent:${id}`,
    at,
    kind: 'consents',
    text: (
      <>
        {'Granted '}
        <bdi>{visibleText(scopes.join(', ')) || 'no scope'}</bdi>
        {' to '}
        <ToClient id={clientId}>{name}</ToClient>
      </>
    ),
    detail: (
      <>
        <To to="/identities/$id/consents" params={{ id: identityId }}>
          Consent
        </To>
        {methods.length > 0 && ` · ${formatMethods(methods.map((method) => ({ method })))}`}
      </>
    ),
  };
}

export function lockLine(lock: LockedAccount): TimelineLine {
  const { id, identifier, trigger_ip, locked_at, locked_until } = lock;
  return {
    id: `lock:${id}`,
    at: locked_at,
    kind: 'locks',
    text: (
      <>
        <To to="/security/locked-accounts" search={{ q: identifier } as never}>
          The account was locked
        </To>
        {': '}
        <bdi>{visibleText(identifier)}</bdi>
      </>
    ),
    detail: (
      <>
        {visibleText(formatReason(lock))}
        {trigger_ip !== null && ` · from ${visibleText(trigger_ip)}`}
        {' · '}
        {locked_until === null ? (
          'until it is unlocked'
        ) : (
          <>
            ends <RelativeTime at={locked_until} />
          </>
        )}
      </>
    ),
  };
}
