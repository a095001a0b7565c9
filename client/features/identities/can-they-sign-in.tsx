import { Anchor, Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { formatDevice } from '../../../shared/format-device.ts';
import type { Identity } from '../../api/identities.ts';
import { useOperator, useRefusal } from '../../api/session.ts';
import type { IdentitySession } from '../../api/sessions.ts';
import { NamedLink, useNameOf } from '../../audit/record-list.tsx';
import { formatReason } from '../../lib/labels.ts';
import { addressWithoutPort, formatMethods } from '../../lib/session-labels.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { GuardedButton } from '../../ui/buttons.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { Section } from '../../ui/layout.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { diagnose, type Verdict, verdictOf } from './diagnose.ts';
import type { Finding, Help, Piece, Weight } from './evidence.ts';
import { lastSignIn, unknownSources } from './evidence.ts';
import classes from './identities.module.css';
import { SimilarIdentifiers } from './similar-identifiers.tsx';
import type { Asked } from './use-evidence.ts';

const IdentityDialog = lazyPart(() => import('./identity-dialogs.tsx'), 'IdentityDialog');

const LABELS: Record<Help['act'], string> = {
  activate: 'Activate…',
  unlock: 'Unlock…',
  verify: 'Mark as verified…',
  recovery: 'Recovery…',
  credentials: 'Credentials',
  edit: 'Edit',
  connections: 'Connections',
  message: 'The message',
};

/** What can be done about a finding: a dialog, or the page where it is done. */
export function HelpButton({ identity, help, about }: { identity: Identity; help: Help; about: string }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal('locks.write');
  const shown = { size: 'compact-sm', variant: 'default', 'aria-label': `${LABELS[help.act]}: ${about}` } as const;
  const link = (target: (props: { className: string; children?: ReactNode }) => ReactNode) => (
    <Button {...shown} renderRoot={target}>
      {LABELS[help.act]}
    </Button>
  );
  const params = { id: identity.id };
  const close = () => setOpen(false);
  switch (help.act) {
    case 'credentials':
      return link((props) => <Link {...props} to="/identities/$id/credentials" params={params} preload={false} />);
    case 'edit':
      return link((props) => <Link {...props} to="/identities/$id/traits/edit" params={params} preload={false} />);
    case 'connections':
      return link((props) => <Link {...props} to="/connections" preload={false} />);
    case 'message':
      return link((props) => <Link {...props} to="/messages/$id" params={{ id: help.id }} preload={false} />);
    default:
      return (
        <>
          <GuardedButton {...shown} reason={help.act === 'unlock' ? refusal : undefined} onClick={() => setOpen(true)}>
            {LABELS[help.act]}
          </GuardedButton>
          {open && help.act === 'unlock' && (
            <IdentityDialog name="unlock" identity={identity} account={help.account} onClose={close} />
          )}
          {open && help.act === 'verify' && (
            <IdentityDialog name="verify" identity={identity} address={help.address} onClose={close} />
          )}
          {open && help.act === 'activate' && <IdentityDialog name="changeState" identity={identity} onClose={close} />}
          {open && help.act === 'recovery' && <IdentityDialog name="recovery" identity={identity} onClose={close} />}
        </>
      );
  }
}

/** "2 hours ago from Oslo, Norway with Chrome on macOS, by password", of the sessions that are known. */
export function LastSignIn(props: { sessions: readonly IdentitySession[] | undefined; place: string | undefined }) {
  const { sessions } = props;
  // Where the place took too long, the IP address stays: the line must not change under the reader.
  const [isPlaced] = useState(props.place !== undefined);
  const place = isPlaced ? props.place : undefined;
  const session = sessions === undefined ? undefined : lastSignIn(sessions);
  const device = session?.devices?.[0];
  const address = addressWithoutPort(device?.ip_address);
  if (sessions === undefined) return <>Last sign-in unknown: their sessions could not be read.</>;
  if (session === undefined) return <>No sign-in is known: no session of theirs is stored.</>;
  return (
    <>
      Last sign-in{' '}
      <Anchor
        inherit
        renderRoot={(props) => <Link {...props} to="/sessions/$id" params={{ id: session.id }} preload={false} />}
      >
        <RelativeTime at={session.authenticated_at} />
      </Anchor>{' '}
      from <span title={address}>{place ?? address ?? 'an unknown address'}</span> with{' '}
      {formatDevice(device?.user_agent)}, {lowered(formatMethods(session.authentication_methods))}.
    </>
  );
}

const lowered = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

/** Whether somebody gets in, worked out from what the platform knows: each reason with its evidence and what helps. */
export const CanTheySignIn = ({ shown, ...diagnosis }: Asked & { shown: boolean }) => (
  <Section title="Can they sign in?">
    <div aria-busy={!diagnosis.settled || undefined}>
      {shown ? <Diagnosis {...diagnosis} /> : <LoadingRows label="Working it out" rows={2} height={20} />}
    </div>
  </Section>
);

function Diagnosis({ evidence, place, settled, askAgain }: Asked) {
  const { identity } = evidence;
  const findings = diagnose(evidence);
  const unknown = unknownSources(evidence);
  const [dot, verdict] = wordsOf(verdictOf(findings, evidence), findings[0], unknown.length > 0, settled);
  return (
    <>
      <Text fw={600} component="div" role="status">
        <StatusDot status={dot}>{verdict}</StatusDot>
      </Text>
      <Text size="sm" mt={4}>
        <LastSignIn sessions={evidence.sessions} place={place} />
      </Text>
      {findings.length > 0 && (
        <ul className={classes.findings} aria-label="What was found">
          {findings.map((finding) => (
            <FindingRow key={finding.id} identity={identity} finding={finding} />
          ))}
        </ul>
      )}
      {unknown.length > 0 && (
        <Text size="sm" c="dimmed" className={classes.foot}>
          {settled ? 'Could not be asked: ' : 'Still being asked: '}
          {unknown.join(', ')}.{' '}
          {settled && (
            <Button size="compact-xs" variant="default" onClick={askAgain}>
              Ask again
            </Button>
          )}
        </Text>
      )}
      <SimilarIdentifiers identity={identity} />
    </>
  );
}

const DOTS = { blocks: 'bad', 'may-block': 'warning', note: 'off' } as const satisfies Record<Weight, string>;

function wordsOf(
  verdict: Verdict,
  worst: Finding | undefined,
  incomplete: boolean,
  settled: boolean,
): ['good' | 'warning' | 'bad' | 'off', string] {
  if (verdict === 'no') return ['bad', 'No'];
  if (verdict === 'perhaps-not') return ['warning', 'Perhaps not'];
  if (verdict === 'yes-but') return ['good', `Yes, but ${lowered(visibleText(worst?.title ?? ''))}`];
  if (!incomplete) return ['good', 'Nothing is wrong that this platform knows'];
  return ['off', settled ? 'Nothing is wrong in what could be asked' : 'Nothing is wrong so far'];
}

function FindingRow({ identity, finding }: { identity: Identity; finding: Finding }) {
  const { title, weight, evidence, help } = finding;
  return (
    <li className={classes.finding}>
      <div>
        <Text size="sm" fw={500} component="div">
          <StatusDot status={DOTS[weight]}>{visibleText(title)}</StatusDot>
        </Text>
        <Text size="sm" c="dimmed" className={classes.evidence}>
          {evidence.map((piece, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence keep their places
            <PieceText key={index} piece={piece} />
          ))}
        </Text>
      </div>
      {help !== undefined && <HelpButton identity={identity} help={help} about={title} />}
    </li>
  );
}

function PieceText({ piece }: { piece: Piece }) {
  if (typeof piece === 'string') return visibleText(piece);
  if ('at' in piece) return <RelativeTime at={piece.at} />;
  if ('actor' in piece) return <Actor id={piece.actor} />;
  return (
    <>
      {formatReason(piece.lock)}
      {piece.lock.trigger_ip !== null && ` from ${visibleText(piece.lock.trigger_ip)}`}
    </>
  );
}

function Actor({ id }: { id: string }) {
  const nameOf = useNameOf([{ action: 'proxy_write', actor: id, target: null, subject: null }]);
  const isSelf = useOperator().identityId === id;
  return (
    <NamedLink thing={{ kind: 'operator', id }}>{isSelf ? 'you' : (nameOf({ kind: 'operator', id }) ?? id)}</NamedLink>
  );
}
