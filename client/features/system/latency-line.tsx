import classes from './latency-line.module.css';
import { formatSamples, type Sample, spreadOf } from './latency-samples.ts';

const WIDTH = 120;
const HEIGHT = 28;
/** How many checks are drawn; the text next to the line covers all of them. */
const DRAWN_MAX = 60;

/** Latency of the most recent checks from left to right; a failed check leaves a gap with a mark. One alone is no line. */
export function LatencyLine({ samples }: { samples: readonly Sample[] }) {
  const drawn = samples.slice(-DRAWN_MAX);
  const most = Math.max(1, spreadOf(drawn)?.most ?? 1);
  const x = (index: number): number => (drawn.length < 2 ? WIDTH - 2 : (index / (drawn.length - 1)) * (WIDTH - 4) + 2);
  const y = (ms: number): number => HEIGHT - 3 - (ms / most) * (HEIGHT - 6);
  let path = '';
  drawn.forEach(({ latencyMs }, index) => {
    if (latencyMs === null) return;
    const goesOn = drawn[index - 1]?.latencyMs !== undefined && drawn[index - 1]?.latencyMs !== null;
    path += `${goesOn ? 'L' : 'M'}${x(index).toFixed(1)} ${y(latencyMs).toFixed(1)}`;
  });
  return (
    <span className={classes.latency}>
      <svg className={classes.line} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
        <path d={path} />
        {drawn.map(
          ({ checkedAt, latencyMs, up }, index) =>
            latencyMs === null &&
            !up && <circle key={checkedAt} className={classes.missing} cx={x(index)} cy={HEIGHT - 3} r={2} />,
        )}
      </svg>
      <span className={classes.words}>{formatSamples(samples)}</span>
    </span>
  );
}
