import { useQuery } from '@tanstack/react-query';
import type { ServiceState } from '../../../../shared/services.ts';
import { servicesQuery } from '../../../api/services.ts';
import { formatServices, formatState, isAiling, SERVICE_DOTS, SERVICE_NAMES } from '../../../format/services.ts';
import { formatSince } from '../../../format/since.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { useNow } from '../../../ui/hooks/use-now.ts';
import { StatusDot } from '../../../ui/status-dot.tsx';
import classes from './lines.module.css';
import { Loaded } from './loaded.tsx';

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
          <Note of={`${services.length} checked`} asOf={oldest(services)} clockAheadMs={clockAheadMs} />
        </>
      )}
    </Loaded>
  );
}

const oldest = (services: readonly ServiceState[]): string =>
  services.map(({ checked_at }) => checked_at).sort()[0] ?? new Date().toISOString();
