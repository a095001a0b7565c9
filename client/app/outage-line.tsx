import { Anchor, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { servicesQuery } from '../api/services.ts';
import { formatOutage } from '../format/outage.ts';
import { useSessionEnded } from '../session/session-end.ts';
import { useNow } from '../ui/hooks/use-now.ts';
import { StatusDot } from '../ui/status-dot.tsx';
import classes from './outage-line.module.css';

const EVERY_MS = 30_000;
const COUNTED_EVERY_MS = 10_000;

/** While a service is down: which, since when, what it affects and where to look. */
export function OutageLine() {
  const ended = useSessionEnded();
  const { data } = useQuery({ ...servicesQuery(EVERY_MS), enabled: !ended });
  const now = useNow(COUNTED_EVERY_MS) + (data?.clockAheadMs ?? 0);
  const [wasDown, setWasDown] = useState(false);
  const outage = formatOutage(data?.services ?? [], now);
  if (outage !== undefined && !wasDown) setWasDown(true);
  return (
    <>
      {/* Announced when it begins and ends, not whenever a minute has passed. */}
      <VisuallyHidden role="status">
        {outage !== undefined ? `${outage.what}. ${outage.hurts}` : wasDown && 'Nothing is down any more.'}
      </VisuallyHidden>
      {outage !== undefined && (
        <section className={classes.line} aria-label="Outage" data-unprinted>
          <StatusDot status="bad">
            <strong>
              {outage.what}
              {outage.lasting !== undefined && `, ${outage.lasting}`}.
            </strong>{' '}
            {outage.hurts}{' '}
            <Anchor size="sm" underline="always" renderRoot={(link) => <Link {...link} to="/system" />}>
              See System
            </Anchor>
          </StatusDot>
        </section>
      )}
    </>
  );
}
