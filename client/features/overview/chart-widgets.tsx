import { digits } from '../../lib/format-count.ts';
import { formatGrant } from '../../lib/labels.ts';
import { CountTable, DayChart, ShareBars } from './charts.tsx';
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
import { Plot } from './plot.tsx';
import { Caption } from './readings.tsx';
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
    <StatisticsContent part="sessions">
      {({ sign_ins }, { isWhole, among, of, asOf }) => {
        const [first] = sign_ins;
        const since = isWhole || first === undefined ? '' : `, since ${formatDay(first.day)}`;
        return (
          <>
            <DayChart
              series={sign_ins}
              noun={{ one: 'session started', many: 'sessions started', among: 'of those that still exist' }}
              shape="area"
              asTable={asTable}
              empty="There is no session yet."
              among={(sentence) => among(`${sentence} ${formatWeek(sign_ins, isWhole)}`.trimEnd())}
            />
            <Caption asOf={asOf}>{`${of} that still exist${since}`}</Caption>
          </>
        );
      }}
    </StatisticsContent>
  );
}

export function NewIdentities({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="identities">
      {({ created }, { among, of, asOf }, { isOwnZone }) => (
        <>
          <DayChart
            series={created}
            noun={{ one: 'new identity', many: 'new identities' }}
            shape="bars"
            asTable={asTable}
            empty="No identity has been created within a year."
            among={among}
            destinationOf={isOwnZone ? (bucket) => identitiesCreated(bucket.day, lastDay(bucket)) : undefined}
          />
          <Caption asOf={asOf}>{of}</Caption>
        </>
      )}
    </StatisticsContent>
  );
}

export function PeakHours({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="sessions">
      {({ hours }, { among, of, asOf }, { timeZone }) => {
        const most = Math.max(...hours);
        const rows = hours.map((count, hour) => ({ name: formatHour(hour), count }));
        const sentence = among(formatHours(hours));
        return (
          <>
            {asTable ? (
              <CountTable
                name={`Sessions started by hour, ${timeZone}`}
                sentence={sentence}
                columns={['Hour', 'Sessions started']}
                rows={rows}
              />
            ) : (
              <Plot
                shape="bars"
                sentence={sentence}
                values={rows.map(({ name, count }) => ({
                  label: name.slice(0, 2),
                  name,
                  count,
                  strong: count > 0 && count === most,
                }))}
              />
            )}
            <Caption asOf={asOf}>{`${of} that still exist, hours in ${timeZone}`}</Caption>
          </>
        );
      }}
    </StatisticsContent>
  );
}

export function Verification({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="identities">
      {({ verified, verifiable, sample }, { isWhole, among, of, asOf }) => {
        const without = sample - verified;
        const isVerified = identitiesWith({ verified: 'yes' });
        const isNotVerified = identitiesWith({ verified: 'no' });
        return (
          <>
            {asTable ? (
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
            )}
            <Caption asOf={asOf}>
              {isWhole ? `of all ${digits(verifiable)} with an address` : `${of}, ${digits(verifiable)} verifiable`}
            </Caption>
          </>
        );
      }}
    </StatisticsContent>
  );
}

export function Schemas({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="identities">
      {({ by_schema, sample }, { among, of, asOf }) => (
        <>
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
          <Caption asOf={asOf}>{of}</Caption>
        </>
      )}
    </StatisticsContent>
  );
}

export function Grants({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="clients">
      {({ by_grant, sample }, { among, of, asOf }) => (
        <>
          <ShareBars
            sentence={among(formatGrants(by_grant, sample))}
            rows={by_grant.map(({ grant, count }) => ({ name: formatGrant(grant), count }))}
            of={sample}
            name="Clients by grant"
            columns={['Grant', 'Clients']}
            asTable={asTable}
          />
          <Caption asOf={asOf}>{of}</Caption>
        </>
      )}
    </StatisticsContent>
  );
}
