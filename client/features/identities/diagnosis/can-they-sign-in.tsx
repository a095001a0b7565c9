import { Button, Text } from '@mantine/core';
import type { Identity } from '../../../api/identities-record.ts';
import { useOperator } from '../../../api/session.ts';
import { NamedLink } from '../../../audit-view/named-link.tsx';
import { useNameOf } from '../../../audit-view/operator-names.ts';
import { formatReason } from '../../../format/lock-reason.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Section } from '../../../ui/section.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import classes from './can-they-sign-in.module.css';
import { diagnose, type Verdict, verdictOf } from './diagnose.ts';
import { unknownSources } from './evidence.ts';
import type { Finding, Piece, Weight } from './finding.ts';
import { HelpButton } from './help-button.tsx';
import { LastSignIn } from './last-sign-in.tsx';
import { SimilarIdentifiers } from './similar-identifiers.tsx';
import type { Asked } from './use-evidence.ts';

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

const lowered = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

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
