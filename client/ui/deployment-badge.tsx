import { deployment, deploymentName, environmentLabel } from '../deployment.ts';
import classes from './ui.module.css';

const PERSON = 'M16 7.5a4.5 4.5 0 0 1 0 9 4.5 4.5 0 0 1 0-9zM7.5 25a8.5 8.5 0 0 1 17 0z';
const BRIEFCASE =
  'M12 11V8.5A1.5 1.5 0 0 1 13.5 7h5A1.5 1.5 0 0 1 20 8.5V11h5v5.5H7V11zm2 0h4V9h-4zM7 18h7v2h4v-2h7v6H7z';

/** Which of the two dashboards this is, by colour and name, and its environment. */
export function DeploymentBadge() {
  return (
    <span className={classes.badge} data-deployment={deployment}>
      <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="currentColor" opacity="0.28" />
        {/* A person, or a briefcase: colours alone do not tell them apart for everyone. */}
        <path d={deployment === 'customer' ? PERSON : BRIEFCASE} fill="currentColor" />
      </svg>
      {deploymentName}
      {environmentLabel !== undefined && (
        <span className={classes.environment} data-production={/^prod/i.test(environmentLabel) || undefined}>
          {environmentLabel}
        </span>
      )}
    </span>
  );
}
