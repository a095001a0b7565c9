import { Group, RingProgress, Text } from '@mantine/core';
import { digits } from '../../lib/format-count.ts';
import { formatGrant } from '../../lib/labels.ts';
import { DataAge } from '../../ui/facts.tsx';
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
      {({ sign_ins }, { isWhole, among, note }) => {
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
            <DataAge {...note} of={`${note.of} that still exist${since}`} />
          </>
        );
      }}
    </StatisticsContent>
  );
}

export function NewIdentities({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="identities">
      {({ created }, { among, note }, { isOwnZone }) => (
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
          <DataAge {...note} />
        </>
      )}
    </StatisticsContent>
  );
}

export function PeakHours({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="sessions">
      {({ hours }, { among, note }, { timeZone }) => {
        const most = Math.max(...hours);
        const rows = hours.map((count, hour) => ({ name: formatHour(hour), count }));
        return (
          <>
            <Text size="sm">{among(formatHours(hours))}</Text>
            {asTable ? (
              <CountTable
                caption={`Sessions started by hour, ${timeZone}`}
                columns={['Hour', 'Sessions started']}
                rows={rows}
              />
            ) : (
              <Plot
                shape="bars"
                values={rows.map(({ name, count }) => ({
                  label: name.slice(0, 2),
                  name,
                  count,
                  strong: count > 0 && count === most,
                }))}
              />
            )}
            <DataAge {...note} of={`Hours in ${timeZone}, ${note.of} that still exist`} />
          </>
        );
      }}
    </StatisticsContent>
  );
}

export function Verification({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="identities">
      {({ verified, verifiable, sample }, { among, note }) => {
        const without = sample - verified;
        const sentence = among(formatVerification(verified, verifiable));
        const isVerified = identitiesWith({ verified: 'yes' });
        const isNotVerified = identitiesWith({ verified: 'no' });
        return (
          <>
            {asTable ? (
              <CountTable
                caption="Address verification"
                columns={['Identities checked', 'Number']}
                rows={[
                  { name: 'Verified address', count: verified, destination: isVerified },
                  { name: 'No verified address', count: without, destination: isNotVerified },
                  { name: 'Of these, no address to verify', count: sample - verifiable },
                ]}
              />
            ) : (
              <Group flex={1} mih={0} gap="sm" wrap="nowrap">
                {verifiable > 0 && (
                  <RingProgress
                    size={44}
                    thickness={6}
                    sections={[{ value: (verified / verifiable) * 100, color: 'var(--mark)' }]}
                    aria-hidden
                  />
                )}
                <BigNumber
                  value={verifiable === 0 ? 'none' : percent(verified, verifiable)}
                  destination={verified > 0 ? isVerified : undefined}
                  label={`${percent(verified, verifiable)} verified`}
                >
                  {without > 0 && (
                    <DestinationLink inherit destination={isNotVerified}>
                      {digits(without)} without
                    </DestinationLink>
                  )}
                </BigNumber>
              </Group>
            )}
            <Text size="xs" lineClamp={asTable ? 1 : 2} title={sentence}>
              {sentence}
            </Text>
            <DataAge {...note} />
          </>
        );
      }}
    </StatisticsContent>
  );
}

export function Schemas({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="identities">
      {({ by_schema, sample }, { among, note }) => (
        <>
          <Text size="sm">{among(formatSchemas(by_schema, sample))}</Text>
          <ShareBars
            rows={by_schema.map(({ schema_id, count }) => ({
              name: schema_id,
              count,
              destination: identitiesWith({ schema: schema_id }),
            }))}
            of={sample}
            caption="Identities by schema"
            columns={['Schema', 'Identities']}
            asTable={asTable}
          />
          <DataAge {...note} />
        </>
      )}
    </StatisticsContent>
  );
}

export function Grants({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsContent part="clients">
      {({ by_grant, sample }, { among, note }) => (
        <>
          <Text size="sm">{among(formatGrants(by_grant, sample))}</Text>
          <ShareBars
            rows={by_grant.map(({ grant, count }) => ({ name: formatGrant(grant), count }))}
            of={sample}
            caption="Clients by grant"
            columns={['Grant', 'Clients']}
            asTable={asTable}
          />
          <DataAge {...note} />
        </>
      )}
    </StatisticsContent>
  );
}
