import classes from './ring.module.css';

const RADIUS = 42;
const LENGTH = 2 * Math.PI * RADIUS;

/** A share as part of a circle; the caller names it next to it. @param share 0 to 1 */
export function Ring({ share }: { share: number }) {
  return (
    <svg className={classes.ring} viewBox="0 0 100 100" aria-hidden>
      <circle cx="50" cy="50" r={RADIUS} className={classes.rest} />
      {share > 0 && (
        <circle
          cx="50"
          cy="50"
          r={RADIUS}
          className={classes.part}
          strokeDasharray={`${share * LENGTH} ${LENGTH}`}
          transform="rotate(-90 50 50)"
        />
      )}
    </svg>
  );
}
