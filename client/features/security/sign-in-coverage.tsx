import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { ADDRESS_HOURS, type AddressCount, type SignInCoverage } from '../../../shared/sign-ins.ts';
import { signInCoverageQuery, signInSummaryQuery } from '../../api/sign-ins.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { dayOf, formatAge } from '../../lib/format-time.ts';
import { formatGap } from '../../lib/sign-in-words.ts';
import { zoneName } from '../../lib/time-zone.ts';
import { FactList, StatusDot } from '../../ui/facts.tsx';
import { useNow } from '../../ui/hooks.tsx';
import { Section, TextLink } from '../../ui/layout.tsx';
import { SignInDays } from '../../ui/sign-in-days.tsx';
import classes from './security.module.css';

const GAPS_SHOWN = 5;

/** What the log covers and may lack, with its numbers by day and by address. */
export function Coverage() {
  const { data, error } = useQuery(signInCoverageQuery);
  const { data: summary } = useQuery(signInSummaryQuery(zoneName()));
  const now = useNow() + (data?.clockAheadMs ?? 0);
  const since = data?.since;
  return (
    <details className={classes.coverage}>
      <summary className={classes.folded}>
        <StatusDot status={!since ? 'off' : data?.gaps.length ? 'warning' : 'good'}>{null}</StatusDot>
        {data === undefined ? (error?.message ?? 'Loading…') : formatCoverage(data, now)}
      </summary>
      {data !== undefined && summary !== undefined && (
        <SimpleGrid cols={{ base: 1, md: 2 }} p="md">
          <Section title="Sign-ins by day">
            <SignInDays {...summary} coverage={data} />
          </Section>
          <Section title="What may be missing" about={`Entries stay for ${data.kept_days} days.`}>
            <FactList facts={[...sourceFacts(data, now), ...gapFacts(data, now)]} />
          </Section>
          {(
            [
              ['Attempts without a known identity', summary.sign_in_addresses],
              ['Refused token requests without a client, such as with a wrong secret', summary.token_addresses],
            ] as const
          ).map(([title, addresses]) => (
            <Section
              key={title}
              title={`${title}, last ${ADDRESS_HOURS} hours`}
              about="By address, as reported. The audit trail records each search for one."
            >
              <FactList facts={addressFacts(addresses)} />
            </Section>
          ))}
        </SimpleGrid>
      )}
    </details>
  );
}

/** "Since 31 Oct 2026, last entry 20 s ago, 2 gaps" */
function formatCoverage({ since, sources, gaps }: SignInCoverage, now: number): string {
  if (since === null) return 'Nothing has arrived yet. The command setup prints what Kratos and Hydra need.';
  const last = Math.max(...sources.map(({ last_event_at: at }) => Date.parse(at ?? since)));
  const missing = gaps.length > 0 ? `, ${counted(gaps.length, 'gap', 'gaps')}` : '';
  return `Since ${dayOf(new Date(since))}, last entry ${formatAge(now - last)}${missing}`;
}

const sourceFacts = ({ sources }: SignInCoverage, now: number) =>
  sources.map(({ service, since, last_event_at: last, unfiltered }) => {
    const age = last === null ? 'no entry yet' : `last entry ${formatAge(now - Date.parse(last))}`;
    const note = unfiltered ? '' : '; it may send only some spans, so its silence would not be noticed';
    return [service, `since ${dayOf(new Date(since))}, ${age}${note}`] as const;
  });

const gapFacts = ({ gaps }: SignInCoverage, now: number) =>
  gaps.slice(0, GAPS_SHOWN).map((gap, index) => [`Gap ${index + 1}`, formatGap(gap, now)] as const);

const addressFacts = (addresses: readonly AddressCount[]) =>
  addresses.map(({ ip, count }) => {
    const search = { outcome: 'failed', ip: ip ?? undefined };
    const link = (
      <TextLink key={ip} inherit to="." search={search as never} onClick={closeSection}>
        {counted(count, 'attempt', 'attempts')}
      </TextLink>
    );
    return [ip ?? 'not reported', ip === null ? digits(count) : link] as const;
  });

/** Open, the section would hide the list that the link filters. */
function closeSection({ currentTarget }: MouseEvent<Element>) {
  const section = currentTarget.closest('details');
  section?.querySelector('summary')?.focus();
  section?.removeAttribute('open');
}
