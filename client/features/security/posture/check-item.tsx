import type { PostureCheck } from '../../../../shared/security.ts';
import { FactList } from '../../../ui/fact-list.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { known, STATUS_WORDS } from './checks-by-status.ts';
import classes from './posture.module.css';

/** @param quiet shows only the finding; the explanation opens on demand */
export function CheckItem({ check, quiet }: { check: PostureCheck; quiet: boolean }) {
  const { id, title, status, detail, why, action } = check;
  const { word, dot } = STATUS_WORDS[known(status)];
  return (
    <li id={id} className={classes.check}>
      <h3 className={classes.title}>{title}</h3>
      <span className={classes.status}>
        <StatusDot status={dot}>{word}</StatusDot>
      </span>
      <p className={classes.detail}>{detail}</p>
      {quiet ? (
        <details className={classes.more}>
          <summary>Why it matters</summary>
          <p>{why}</p>
        </details>
      ) : (
        <div className={classes.more}>
          <FactList
            facts={[
              ['Why it matters', why],
              ['What to do', action],
            ]}
          />
        </div>
      )}
    </li>
  );
}
