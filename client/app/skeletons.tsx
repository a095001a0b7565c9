import { ListSkeleton } from '../ui/loading/list-skeleton.tsx';

/**
 * Header and page before it is known who looks at them. The same stands in `index.html`, so that it is on the screen
 * before any script is; its style sheet arrives with the page.
 */
export const FrameSkeleton = () => (
  <div className="frame-skeleton" aria-busy aria-label="Loading the dashboard" role="status">
    <div />
  </div>
);

/** In the place of a page whose part of the app is on its way. */
export const PageSkeleton = () => <ListSkeleton heading label="Loading the page" rows={8} />;
