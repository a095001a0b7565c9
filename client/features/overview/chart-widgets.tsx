import { digits, formatAmong, formatLatest, formatSample } from '../../lib/format-count.ts';
import { formatGrant } from '../../lib/labels.ts';
import { DataAge } from '../../ui/facts.tsx';
import { type CountRow, CountTable, DaysOf, Ring, ShareBars } from './charts.tsx';
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
import { DestinationLink, IDENTITIES, identitiesCreated, identitiesWith, useOpenDestination } from './destinations.tsx';
import { StatisticsPart } from './loaded.tsx';
import { BigNumber } from './number-widgets.tsx';
import { Plot } from './plot.tsx';
import type { WidgetBodyProps } from './widget-catalogue.ts';
import classes from './widgets.module.css';

// One module for everything with a chart, loaded after the first paint.

export function SignIns({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsPart part="sessions">
      {({ sign_ins, sample, truncated, as_of }, { clockAheadMs }) => (
        <>
          <DaysOf
            series={sign_ins}
            noun={{ one: 'session started', many: 'sessions started', among: 'of those that still exist' }}
            shape="area"
            asTable={asTable}
            empty="There is no session yet."
            among={(sentence) =>
              formatAmong(
                formatLatest(sample, truncated),
                !truncated,
                `${sentence} ${formatWeek(sign_ins, !truncated)}`.trimEnd(),
              )
            }
          />
          <DataAge
            of={`${formatLatest(sample, truncated)} that still exist${truncated && sign_ins[0] !== undefined ? `, since ${formatDay(sign_ins[0].day)}` : ''}`}
            asOf={as_of}
            clockAheadMs={clockAheadMs}
          />
        </>
      )}
    </StatisticsPart>
  );
}

export function NewIdentities({ asTable }: WidgetBodyProps) {
  const isOpen = useOpenDestination()(IDENTITIES) !== undefined;
  return (
    <StatisticsPart part="identities">
      {({ created, sample, complete, as_of }, { clockAheadMs, isOwnZone }) => (
        <>
          <DaysOf
            series={created}
            noun={{ one: 'new identity', many: 'new identities' }}
            shape="bars"
            asTable={asTable}
            empty="No identity has been created within a year."
            among={(sentence) => formatAmong(formatSample(sample, complete), complete, sentence)}
            leadsTo={isOpen && isOwnZone ? (bucket) => identitiesCreated(bucket.day, lastDay(bucket)) : undefined}
          />
          <DataAge of={formatSample(sample, complete)} asOf={as_of} clockAheadMs={clockAheadMs} />
        </>
      )}
    </StatisticsPart>
  );
}

export function PeakHours({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsPart part="sessions">
      {({ hours, sample, truncated, as_of }, { clockAheadMs, timeZone }) => {
        const most = Math.max(...hours);
        const of = formatLatest(sample, truncated);
        const rows = hours.map((count, hour) => ({ name: formatHour(hour), count }));
        return (
          <>
            <p className={classes.summary}>{formatAmong(of, !truncated, formatHours(hours))}</p>
            {asTable ? (
              <CountTable
                caption={`Sessions started by hour, ${timeZone}`}
                of="Hour"
                counted="Sessions started"
                rows={rows}
              />
            ) : (
              <Plot
                shape="bars"
                values={rows.map(({ name, count }) => ({
                  label: name.slice(0, 2),
                  words: name,
                  count,
                  strong: count > 0 && count === most,
                }))}
              />
            )}
            <DataAge of={`Hours in ${timeZone}, ${of} that still exist`} asOf={as_of} clockAheadMs={clockAheadMs} />
          </>
        );
      }}
    </StatisticsPart>
  );
}

export function VerificationRate({ asTable }: WidgetBodyProps) {
  const open = useOpenDestination();
  return (
    <StatisticsPart part="identities">
      {({ verified, verifiable, sample, complete, as_of }, { clockAheadMs }) => {
        const of = formatSample(sample, complete);
        const without = sample - verified;
        const sentence = formatAmong(of, complete, formatVerification(verified, verifiable));
        return (
          <>
            {asTable ? (
              <CountTable
                caption="Address verification"
                of="Identities checked"
                counted="Number"
                rows={[
                  { name: 'Verified address', count: verified, leadsTo: open(identitiesWith({ verified: 'yes' })) },
                  { name: 'No verified address', count: without, leadsTo: open(identitiesWith({ verified: 'no' })) },
                  { name: 'Of these, no address to verify', count: sample - verifiable },
                ]}
              />
            ) : (
              <div className={classes.rate}>
                {verifiable > 0 && <Ring share={verified / verifiable} />}
                <BigNumber
                  value={verifiable === 0 ? 'none' : percent(verified, verifiable)}
                  leadsTo={verified > 0 ? open(identitiesWith({ verified: 'yes' })) : undefined}
                  label={`${percent(verified, verifiable)} verified`}
                >
                  {without > 0 && (
                    <DestinationLink inherit destination={open(identitiesWith({ verified: 'no' }))}>
                      {digits(without)} without
                    </DestinationLink>
                  )}
                </BigNumber>
              </div>
            )}
            <p className={classes.brief} title={sentence}>
              {sentence}
            </p>
            <DataAge of={of} asOf={as_of} clockAheadMs={clockAheadMs} />
          </>
        );
      }}
    </StatisticsPart>
  );
}

export function IdentitiesBySchema({ asTable }: WidgetBodyProps) {
  const open = useOpenDestination();
  return (
    <StatisticsPart part="identities">
      {({ by_schema, sample, complete, as_of }, { clockAheadMs }) => (
        <>
          <p className={classes.summary}>
            {formatAmong(formatSample(sample, complete), complete, formatSchemas(by_schema, sample))}
          </p>
          <Shares
            shares={by_schema.map(({ schema_id, count }) => ({
              name: schema_id,
              count,
              leadsTo: open(identitiesWith({ schema: schema_id })),
            }))}
            of={sample}
            caption="Identities by schema"
            columns={['Schema', 'Identities']}
            asTable={asTable}
          />
          <DataAge of={formatSample(sample, complete)} asOf={as_of} clockAheadMs={clockAheadMs} />
        </>
      )}
    </StatisticsPart>
  );
}

export function ClientsByGrant({ asTable }: WidgetBodyProps) {
  return (
    <StatisticsPart part="clients">
      {({ by_grant, sample, truncated, as_of }, { clockAheadMs }) => (
        <>
          <p className={classes.summary}>
            {formatAmong(formatSample(sample, !truncated), !truncated, formatGrants(by_grant, sample))}
          </p>
          <Shares
            shares={by_grant.map(({ grant, count }) => ({ name: formatGrant(grant), count }))}
            of={sample}
            caption="OAuth2 clients by grant"
            columns={['Grant', 'Clients']}
            asTable={asTable}
          />
          <DataAge of={formatSample(sample, !truncated)} asOf={as_of} clockAheadMs={clockAheadMs} />
        </>
      )}
    </StatisticsPart>
  );
}

function Shares(props: {
  shares: readonly CountRow[];
  of: number;
  caption: string;
  columns: readonly [of: string, counted: string];
  asTable: boolean;
}) {
  const { shares, caption, columns } = props;
  return props.asTable ? (
    <CountTable caption={caption} of={columns[0]} counted={columns[1]} rows={shares} />
  ) : (
    <ShareBars shares={shares} of={props.of} label={caption} />
  );
}
