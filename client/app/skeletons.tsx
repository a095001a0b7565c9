import { ListSkeleton } from '../ui/loading/list-skeleton.tsx';

/**
 * Header and page before the session is known. `index.html` contains the same markup, so that it is on screen before
 * any script has run; its style sheet comes with the page.
 */
export const FrameSkeleton = () => (
  <div className="frame-skeleton" aria-busy aria-label="Loading the dashboard" role="status">
    <div />
  </div>
);

export const PageSkeleton = () => <ListSkeleton heading label="Loading the page" rows={8} />;
