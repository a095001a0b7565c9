import { digits } from '../../lib/format-count.ts';
import { formatGrant } from '../../lib/labels.ts';
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
  StatisticsContent,
  type WidgetBodyProps,
} from './widget-parts.tsx';

export function SignIns({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent
      part="sessions"
      caption={({ sign_ins: [first], isWhole, of }) =>
        `${of} that still exist${isWhole || first === undefined ? '' : `, since ${formatDay(first.day)}`}`
      }
    >
      {({ sign_ins, isWhole, among }) => (
        <DayChart
          series={sign_ins}
          noun={{ one: 'session started', many: 'sessions started', among: 'of those that still exist' }}
          shape="area"
          asTable={asTable}
          empty="There are no sessions."
          among={(sentence) => among(`${sentence} ${formatWeek(sign_ins, isWhole)}`.trimEnd())}
        />
      )}
    </StatisticsContent>
  );
}

export function NewIdentities({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="identities">
      {({ created, among, isOwnZone }) => (
        <DayChart
          series={created}
          noun={{ one: 'new identity', many: 'new identities' }}
          shape="bars"
          asTable={asTable}
          empty="No identities were created in the last year."
          among={among}
          destinationOf={isOwnZone ? (bucket) => identitiesCreated(bucket.day, lastDay(bucket)) : undefined}
        />
      )}
    </StatisticsContent>
  );
}

export function PeakHours({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="sessions" caption={({ of, timeZone }) => `${of} that still exist, hours in ${timeZone}`}>
      {({ hours, among, timeZone }) => {
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
            shape="bars"
            asTable={asTable}
          />
        );
      }}
    </StatisticsContent>
  );
}

export function Verification({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent
      part="identities"
      caption={({ verifiable, isWhole, of }) =>
        isWhole ? `of all ${digits(verifiable)} with an address` : `${of}, ${digits(verifiable)} verifiable`
      }
    >
      {({ verified, verifiable, sample, among }) => {
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
              <DestinationLink inherit underline="always" destination={isNotVerified}>
                {digits(without)} without
              </DestinationLink>
            )}
          </BigNumber>
        );
      }}
    </StatisticsContent>
  );
}

export function Schemas({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="identities">
      {({ by_schema, sample, among }) => (
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
      )}
    </StatisticsContent>
  );
}

export function Grants({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="clients">
      {({ by_grant, sample, among }) => (
        <ShareBars
          sentence={among(formatGrants(by_grant, sample))}
          rows={by_grant.map(({ grant, count }) => ({ name: formatGrant(grant), count }))}
          of={sample}
          name="Clients by grant"
          columns={['Grant', 'Clients']}
          asTable={asTable}
        />
      )}
    </StatisticsContent>
  );
}
