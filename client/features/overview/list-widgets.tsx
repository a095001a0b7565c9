import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditRecord } from '../../../shared/audit.ts';
import type { PostureStatus } from '../../../shared/security.ts';
import type { ServiceState } from '../../../shared/services.ts';
import { lockedAccountsQuery, postureQuery, recentAuditQuery } from '../../api/security.ts';
import { servicesQuery } from '../../api/services.ts';
import { useOperator } from '../../api/session.ts';
import { foldRecords, foldSentence, type RecordFold } from '../../audit/fold-records.ts';
import { useNameOf } from '../../audit/record-list.tsx';
import { formatPosture, worstCheck } from '../../audit/record-sentence.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { formatSince } from '../../lib/format-time.ts';
import { formatServices, formatState, isAiling, SERVICE_DOTS, SERVICE_NAMES } from '../../lib/service-state.ts';
import { DataAge, RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { useNow } from '../../ui/hooks.tsx';
import { LOCKED_ACCOUNTS, useOpenDestination } from './destinations.tsx';
import { Loaded } from './loaded.tsx';
import { BigNumber } from './number-widgets.tsx';
import classes from './widgets.module.css';

export function LockedAccounts() {
  const open = useOpenDestination();
  const question = useQuery(lockedAccountsQuery);
  return (
    <Loaded question={question}>
      {({ data, total, clockAheadMs }) => (
        <>
          <BigNumber
            value={digits(total)}
            leadsTo={open(LOCKED_ACCOUNTS)}
            label={counted(total, 'locked account', 'locked accounts')}
          >
            {data[0] === undefined ? 'Nobody is locked out' : `latest: ${data[0].identifier}`}
          </BigNumber>
          <DataAge
            of={counted(total, 'account', 'accounts')}
            asOf={new Date(question.dataUpdatedAt + clockAheadMs).toISOString()}
            clockAheadMs={clockAheadMs}
          />
        </>
      )}
    </Loaded>
  );
}

const DOTS: Record<PostureStatus, 'good' | 'warning' | 'bad' | 'off'> = {
  pass: 'good',
  warn: 'warning',
  fail: 'bad',
  unknown: 'off',
};

/** The first tells enough to go there; all of them would be cut off. */
const firstSentence = (text: string): string => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;

export function PostureLine() {
  const question = useQuery(postureQuery);
  return (
    <Loaded question={question}>
      {({ checks, as_of, clockAheadMs }) => {
        const worst = worstCheck(checks);
        return (
          <>
            <div>
              <StatusDot status={worst === undefined ? 'good' : DOTS[worst.status]}>{formatPosture(checks)}</StatusDot>
              {worst !== undefined && (
                <Text size="sm" c="dimmed" lineClamp={2}>
                  {worst.title}: {firstSentence(worst.detail)}
                </Text>
              )}
            </div>
            <DataAge of={`${checks.length} checks`} asOf={as_of} clockAheadMs={clockAheadMs} />
          </>
        );
      }}
    </Loaded>
  );
}

export function RecentAudit() {
  const { identityId } = useOperator();
  const question = useQuery(recentAuditQuery);
  const nameOf = useNameOf(question.data?.events ?? []);
  const told = (fold: RecordFold): string =>
    foldSentence(fold, identityId, nameOf)
      .map(({ text }) => text)
      .join('');
  return (
    <Loaded question={question}>
      {({ events, has_more, clockAheadMs }) => (
        <>
          {events.length === 0 ? (
            <p className={classes.summary}>Nothing has been changed yet.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
            <ul className={classes.lines} tabIndex={0} aria-label="Latest changes in the audit trail">
              {rowsOf(events).map((fold) => (
                <li key={fold[0].sequence}>
                  <span className={classes.about}>
                    {fold.length === 1 ? (
                      told(fold)
                    ) : (
                      <details>
                        <summary>{told(fold)}</summary>
                        <ul className={classes.opened}>
                          {fold.map((record) => (
                            <li key={record.sequence}>{told([record])}</li>
                          ))}
                        </ul>
                      </details>
                    )}
                  </span>
                  <span className={classes.aside}>
                    <RelativeTime at={fold[0].timestamp} />
                  </span>
                </li>
              ))}
            </ul>
          )}
          <DataAge
            of={latest(events, has_more)}
            asOf={new Date(question.dataUpdatedAt + clockAheadMs).toISOString()}
            clockAheadMs={clockAheadMs}
          />
        </>
      )}
    </Loaded>
  );
}

/** A bulk act is one row: more records are read than rows are shown. */
const ROWS = 10;
const rowsOf = (events: readonly AuditRecord[]): RecordFold[] => foldRecords(events).slice(0, ROWS);

function latest(events: readonly AuditRecord[], hasMore: boolean): string {
  const count = rowsOf(events).flat().length;
  return `${hasMore || count < events.length ? 'the latest ' : ''}${counted(count, 'change', 'changes')}`;
}

const EVERY_MS = 15_000;

export function ServicesList() {
  const question = useQuery(servicesQuery(EVERY_MS));
  const now = useNow(EVERY_MS);
  return (
    <Loaded question={question}>
      {({ services, clockAheadMs }) => (
        <>
          <p className={classes.summary}>{formatServices(services)}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <ul className={classes.lines} tabIndex={0} aria-label="Services">
            {services.map((service) => (
              <li key={service.name}>
                <StatusDot status={SERVICE_DOTS[service.status]}>
                  {SERVICE_NAMES[service.name] ?? service.name}
                </StatusDot>
                <span className={classes.aside}>
                  {formatState(service)}
                  {isAiling(service) && `, ${formatSince(service.since, now + clockAheadMs)}`}
                </span>
              </li>
            ))}
          </ul>
          <DataAge of={`${services.length} checked`} asOf={oldest(services)} clockAheadMs={clockAheadMs} />
        </>
      )}
    </Loaded>
  );
}

const oldest = (services: readonly ServiceState[]): string =>
  services.map(({ checked_at }) => checked_at).sort()[0] ?? new Date().toISOString();
