import { Box, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useRef, useState } from 'react';
import { formatDevice } from '../../../shared/format-device.ts';
import { fold } from '../../../shared/text.ts';
import type { Identity } from '../../api/identities.ts';
import { similarIdentities } from '../../api/identity-search.ts';
import { useOperator } from '../../api/session.ts';
import { NamedLink, useNameOf } from '../../audit/record-names.tsx';
import { holders } from '../../deployment.ts';
import { displayName, identifierOf, nameOf } from '../../lib/identity-name.ts';
import { formatReason } from '../../lib/labels.ts';
import { addressWithoutPort, formatMethods } from '../../lib/session-labels.ts';
import { formatSignInMethod } from '../../lib/sign-in-words.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { useFocusAfterRender } from '../../ui/hooks.tsx';
import { Section, TextLink } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import {
  diagnose,
  type Finding,
  type Help,
  type Severity,
  type TextPart,
  type Verdict,
  verdictOf,
} from './diagnose.ts';
import { type Evidence, lastReported, lastSignIn, missingSources, type useEvidence } from './evidence.ts';

interface Diagnosed extends ReturnType<typeof useEvidence> {
  /** The button that opens the remedy for a finding. */
  HelpButton: ComponentType<{ identity: Identity; help: Help; about: string }>;
}

export const CanTheySignIn = ({ isReady, ...diagnosed }: Diagnosed & { isReady: boolean }) => (
  <Section title="Can they sign in?">
    <div aria-busy={!diagnosed.isSettled || undefined}>
      {isReady ? <Diagnosis {...diagnosed} /> : <LoadingRows label="Checking" rows={2} height={20} />}
    </div>
  </Section>
);

function Diagnosis({ evidence, location, isSettled, retryFailed, HelpButton }: Diagnosed) {
  const { identity } = evidence;
  const findings = diagnose(evidence);
  const missing = missingSources(evidence);
  const isClosed = evidence.providers === null;
  const [dot, verdict] = formatVerdict(
    verdictOf(findings, evidence),
    findings[0],
    missing.length > 0 || isClosed,
    isSettled,
  );
  return (
    <>
      <Text fw={600} component="div" role="status">
        <StatusDot status={dot}>{verdict}</StatusDot>
      </Text>
      <Text size="sm" mt={4}>
        <LastSignIn evidence={evidence} location={location} />
      </Text>
      {findings.length > 0 && (
        <Stack component="ul" gap="0.625rem" m="var(--mantine-spacing-sm) 0 0" p={0} aria-label="Findings">
          {findings.map((finding) => (
            <FindingRow key={finding.id} finding={finding}>
              {finding.help !== undefined && (
                <HelpButton identity={identity} help={finding.help} about={finding.title} />
              )}
            </FindingRow>
          ))}
        </Stack>
      )}
      {missing.length > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {isSettled ? 'Could not be read: ' : 'Still loading: '}
          {missing.join(', ')}. {isSettled && <SmallButton onClick={retryFailed}>Try again</SmallButton>}
        </Text>
      )}
      {isClosed && (
        <Text size="sm" c="dimmed" mt="sm">
          Not checked: the settings of their sign-in providers. Only {holders(['settings.read'])} can see them.
        </Text>
      )}
      <SimilarIdentifiers identity={identity} />
    </>
  );
}

function formatVerdict(
  verdict: Verdict,
  worst: Finding | undefined,
  incomplete: boolean,
  isSettled: boolean,
): ['good' | 'warning' | 'bad' | 'off', string] {
  if (verdict === 'no') return ['bad', 'No'];
  if (verdict === 'maybe-not') return ['warning', 'Maybe not'];
  if (verdict === 'yes-but') return ['good', `Yes, but ${lowered(visibleText(worst?.title ?? ''))}`];
  if (!incomplete) return ['good', 'No problems found'];
  return ['off', isSettled ? 'No problems found, but some data is missing' : 'No problems found so far'];
}

const lowered = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

/** "Last sign-in 2 hours ago from Oslo, Norway with Chrome on macOS, by password" */
function LastSignIn({ evidence, location }: { evidence: Evidence; location?: string | undefined }) {
  const { sessions } = evidence;
  // If the location loads late, the IP address stays: the line must not change while somebody reads it.
  const [isLocated] = useState(location !== undefined);
  const session = sessions && lastSignIn(sessions);
  const device = session?.devices?.[0];
  const address = addressWithoutPort(device?.ip_address);
  const reported = lastReported(evidence);
  if (reported !== undefined)
    return (
      <>
        Last sign-in <RelativeTime at={reported.at} />, reported from{' '}
        <span title={reported.ip ?? undefined}>
          {visibleText(reported.place ?? reported.ip ?? 'an unknown address')}
        </span>{' '}
        with {visibleText(reported.device ?? 'an unknown device')}, {formatSignInMethod(reported) || 'method unknown'}.
      </>
    );
  if (sessions === undefined) return 'Last sign-in unknown: their sessions have not been loaded.';
  if (session === undefined) return 'No known sign-in: they have no sessions.';
  return (
    <>
      Last sign-in{' '}
      <TextLink inherit to="/sessions/$id" params={{ id: session.id }}>
        <RelativeTime at={session.authenticated_at} />
      </TextLink>{' '}
      from <span title={address}>{(isLocated ? location : undefined) ?? address ?? 'an unknown address'}</span> with{' '}
      {formatDevice(device?.user_agent)}, {lowered(formatMethods(session.authentication_methods))}.
    </>
  );
}

const DOTS = { blocks: 'bad', 'may-block': 'warning', note: 'off' } as const satisfies Record<Severity, string>;

function FindingRow({ finding, children }: { finding: Finding; children: ReactNode }) {
  const { title, severity, evidence } = finding;
  return (
    <Group component="li" justify="space-between" align="flex-start" gap="0.375rem 1rem">
      <Box flex="1 1 16rem" miw={0}>
        <Text size="sm" fw={500} component="div">
          <StatusDot status={DOTS[severity]}>{visibleText(title)}</StatusDot>
        </Text>
        <Text size="sm" c="dimmed" pl="1.05rem">
          {evidence.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their order
            <Part key={index} part={part} />
          ))}
        </Text>
      </Box>
      {children}
    </Group>
  );
}

function Part({ part }: { part: TextPart }) {
  if (typeof part === 'string') return visibleText(part);
  if ('at' in part) return <RelativeTime at={part.at} />;
  if ('actor' in part) return <Actor id={part.actor} />;
  const { trigger_ip } = part.lock;
  return `${formatReason(part.lock)}${trigger_ip === null ? '' : ` from ${visibleText(trigger_ip)}`}`;
}

function Actor({ id }: { id: string }) {
  const nameOf = useNameOf([{ action: 'proxy_write', actor: id, target: null, subject: null }]);
  const isSelf = useOperator().identityId === id;
  return (
    <NamedLink thing={{ kind: 'operator', id }}>{isSelf ? 'you' : (nameOf({ kind: 'operator', id }) ?? id)}</NamedLink>
  );
}

/** Finds identities with an identifier easily mistaken for this one. Runs on click only, since searches are audited. */
export function SimilarIdentifiers({ identity }: { identity: Identity }) {
  const identifier = identifierOf(identity);
  const parts = identifier === undefined ? [] : similarParts(identifier);
  const result = useRef<HTMLDivElement>(null);
  const focusAfterRender = useFocusAfterRender();
  const search = useMutation({
    mutationFn: async () => {
      const found = await similarIdentities(parts);
      return (
        found?.filter((one) => {
          const other = identifierOf(one);
          return one.id !== identity.id && other !== undefined && isSimilar(other, identifier ?? '');
        }) ?? null
      );
    },
    retry: false,
    // The pressed button has disappeared.
    onSettled: () => focusAfterRender(() => result.current),
  });
  if (identifier === undefined || parts.length === 0) return null;
  const { data } = search;
  return (
    <Box mt="sm" role="status" ref={result} tabIndex={-1} style={{ outline: 'none' }}>
      {search.error !== null && <FailurePanel error={search.error} onRetry={() => search.mutate()} />}
      {data === undefined && search.error === null && (
        <SmallButton loading={search.isPending} onClick={() => search.mutate()}>
          Look for similar identifiers
        </SmallButton>
      )}
      {data === null && <Text size="sm">The index is off or still empty, so similar identifiers cannot be found.</Text>}
      {data?.length === 0 && <Text size="sm">Found no other identifier like {visibleText(identifier)}.</Text>}
      {data != null && data.length > 0 && (
        <>
          <Text size="sm">The person may mean one of these similar identifiers:</Text>
          <Stack component="ul" gap="0.625rem" m="var(--mantine-spacing-sm) 0 0" p={0} aria-label="Similar identifiers">
            {data.map((one) => (
              <Box component="li" display="block" key={one.id}>
                <TextLink size="sm" to="/identities/$id" params={{ id: one.id }}>
                  {visibleText(displayName(one))}
                </TextLink>{' '}
                <Text span size="sm" c="dimmed">
                  {visibleText(nameOf(one) ?? '')}
                </Text>
              </Box>
            ))}
          </Stack>
        </>
      )}
    </Box>
  );
}

/** Shorter parts match too many names. */
const PART_MIN = 3;

/** The distinctive part of an identifier: for an address, the part before `@` without a tag (`+news`). */
const nameIn = (identifier: string): string => fold(identifier).replace(/@.*$/s, '').replace(/\+.*$/s, '');

/**
 * Splits an identifier into halves to search for. A single wrong, missing or extra letter leaves one half intact.
 * @returns an empty list for an identifier that is too short
 */
export function similarParts(identifier: string): string[] {
  const name = [...nameIn(identifier)];
  const half = Math.ceil(name.length / 2);
  const parts = [name.slice(0, half), name.slice(half)].map((part) => part.join(''));
  return [...new Set(parts)].filter((part) => [...part].length >= PART_MIN);
}

/**
 * Whether two identifiers are easily mistaken for each other: they differ only in case, accents, separators, a tag, the
 * domain of an address, one letter, or the order of two letters.
 */
export function isSimilar(one: string, other: string): boolean {
  const [a, b] = [one, other].map((identifier) => nameIn(identifier).replace(/[.\-_ ]/g, ''));
  return a !== undefined && b !== undefined && a !== '' && differsAtMostOnce(a, b);
}

/** True for one letter added, omitted or replaced, or for two adjacent letters swapped. */
function differsAtMostOnce(one: string, other: string): boolean {
  const [short, long] = [[...one], [...other]].sort((a, b) => a.length - b.length) as [string[], string[]];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  const [a = [], b = []] = [short, long].map((letters) => letters.slice(start, letters.length - end));
  return (a.length <= 1 && b.length <= 1) || (a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0]);
}
