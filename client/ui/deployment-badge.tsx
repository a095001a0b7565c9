import { deployment, deploymentName } from './deployment.ts';
import classes from './deployment-badge.module.css';

/** Which of the two dashboards this is, by colour and by name. */
export function DeploymentBadge() {
  return (
    <span className={classes.badge} data-deployment={deployment}>
      <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="currentColor" opacity="0.28" />
        <circle cx="16" cy="12" r="4.5" fill="currentColor" />
        <path d="M7.5 25a8.5 8.5 0 0 1 17 0z" fill="currentColor" />
      </svg>
      {deploymentName}
    </span>
  );
}
