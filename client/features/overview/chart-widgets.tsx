import { useQuery } from '@tanstack/react-query';
import { useCan } from '../../api/session.ts';
import { signInCoverageQuery, signInSummaryQuery } from '../../api/sign-ins.ts';
import { hasSignInLog } from '../../deployment.ts';
import { digits } from '../../lib/format-count.ts';
import { formatGrant } from '../../lib/labels.ts';
import { zoneName } from '../../lib/time-zone.ts';
import { SignInDays } from '../../ui/sign-in-days.tsx';
import { CountPlot, CountTable, DayChart, ShareBars } from './charts.tsx';
import {
  formatDay,
  formatGrants,
  formatHour,
  formatHours,
  formatSchemas,
  formatVerification,
  formatWeek,
  lastDay,
  percent,
} from './day-series.ts';
import {
  BigNumber,
  DestinationLink,
  identitiesCreated,
  identitiesWith,
  statisticsWidget,
  type WidgetBodyProps,
  WidgetContent,
} from './widget-parts.tsx';

/** What the sign-in log counts, or else the sessions that still exist. */
export function SignIns(props: WidgetBodyProps) {
  const enabled = useCan()('sign-ins.read') && hasSignInLog();
  const query = useQuery({ ...signInSummaryQuery(zoneName()), enabled });
  const { data: coverage } = useQuery({ ...signInCoverageQuery, enabled });
  if (!enabled || query.data?.succeeded.length === 0) return <StartedSessions {...props} />;
  return (
    <WidgetContent query={query}>
      {(summary) => <SignInDays {...summary} coverage={coverage} asTable={props.asTable} />}
    </WidgetContent>
  );
}

const StartedSessions = statisticsWidget('sessions', {
  caption: ({ sign_ins: [first], isWhole, of }) =>
    `${of} that still exist${isWhole || first === undefined ? '' : `, since ${formatDay(first.day)}`}`,
  content: ({ sign_ins, isWhole, among }, asTable) => (
    <DayChart
      series={sign_ins}
      noun={{ one: 'session started', many: 'sessions started', among: 'of those that still exist' }}
      asTable={asTable}
      empty="There are no sessions."
      among={(sentence) => among(`${sentence} ${formatWeek(sign_ins, isWhole)}`.trimEnd())}
    />
  ),
});

export const NewIdentities = statisticsWidget('identities', {
  content: ({ created, among, isOwnZone }, asTable) => (
    <DayChart
      series={created}
      noun={{ one: 'new identity', many: 'new identities' }}
      asTable={asTable}
      empty="No identities were created in the last year."
      among={among}
      destinationOf={isOwnZone ? (bucket) => identitiesCreated(bucket.day, lastDay(bucket)) : undefined}
    />
  ),
});

export const PeakHours = statisticsWidget('sessions', {
  caption: ({ of, timeZone }) => `${of} that still exist, hours in ${timeZone}`,
  content: ({ hours, among, timeZone }, asTable) => {
    const most = Math.max(...hours);
    return (
      <CountPlot
        name={`Sessions started by hour, ${timeZone}`}
        sentence={among(formatHours(hours))}
        columns={['Hour', 'Sessions started']}
        rows={hours.map((count, hour) => ({
          label: formatHour(hour).slice(0, 2),
          name: formatHour(hour),
          count,
          strong: count > 0 && count === most,
        }))}
        asTable={asTable}
      />
    );
  },
});

export const Verification = statisticsWidget('identities', {
  caption: ({ verifiable, isWhole, of }) =>
    isWhole ? `of all ${digits(verifiable)} with an address` : `${of}, ${digits(verifiable)} verifiable`,
  content: ({ verified, verifiable, sample, among }, asTable) => {
    const without = sample - verified;
    const isVerified = identitiesWith({ verified: 'yes' });
    const isNotVerified = identitiesWith({ verified: 'no' });
    return asTable ? (
      <CountTable
        name="Address verification"
        sentence={among(formatVerification(verified, verifiable))}
        columns={['Identities checked', 'Number']}
        rows={[
          { name: 'Verified address', count: verified, destination: isVerified },
          { name: 'No verified address', count: without, destination: isNotVerified },
          { name: 'Of these, no address to verify', count: sample - verifiable },
        ]}
      />
    ) : (
      <BigNumber
        value={verifiable === 0 ? 'none' : percent(verified, verifiable)}
        destination={verified > 0 ? isVerified : undefined}
        label={`${percent(verified, verifiable)} verified`}
      >
        {without > 0 && (
          <DestinationLink underline="always" destination={isNotVerified}>
            {digits(without)} without
          </DestinationLink>
        )}
      </BigNumber>
    );
  },
});

export const Schemas = statisticsWidget('identities', {
  content: ({ by_schema, sample, among }, asTable) => (
    <ShareBars
      sentence={among(formatSchemas(by_schema, sample))}
      rows={by_schema.map(({ schema_id, count }) => ({
        name: schema_id,
        count,
        destination: identitiesWith({ schema: schema_id }),
      }))}
      of={sample}
      name="Identities by schema"
      columns={['Schema', 'Identities']}
      asTable={asTable}
    />
  ),
});

export const Grants = statisticsWidget('clients', {
  content: ({ by_grant, sample, among }, asTable) => (
    <ShareBars
      sentence={among(formatGrants(by_grant, sample))}
      rows={by_grant.map(({ grant, count }) => ({ name: formatGrant(grant), count }))}
      of={sample}
      name="Clients by grant"
      columns={['Grant', 'Clients']}
      asTable={asTable}
    />
  ),
});
