import { type AsyncRouteComponent, CatchBoundary, type lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, Suspense, use } from 'react';
import { MissingPart } from '../feedback/missing-part.ts';
import { MissingPartNotice, MissingPartPanel, RetryOnline } from '../feedback/missing-part-notice.tsx';

/**
 * A page or tab that is loaded on demand. If loading fails, it throws `MissingPart` where it is rendered; the error's
 * `forget` allows another attempt. (The router's own `lazyRouteComponent` reloads the page by itself, losing whatever
 * was typed.)
 */
export const lazyPage = function lazyPage(load: () => Promise<Record<string, unknown>>, name: string) {
  /** Resolves with nothing where loading failed. */
  let loading: Promise<ComponentType<object> | undefined> | undefined;
  let missing: MissingPart | undefined;

  let again = false;
  const forget = (): void => {
    loading = undefined;
    missing = undefined;
    again = true;
  };
  const start = (): Promise<ComponentType<object> | undefined> => {
    const started = (again ? missedStyles() : Promise.resolve())
      .then(load)
      .then((module) => module[name] as ComponentType<object>)
      .catch((cause: unknown) => {
        missing = new MissingPart(cause, forget);
        return undefined;
      });
    // React reads these two: what was loaded before it is rendered does not suspend.
    void started.then((value) => Object.assign(started, { status: 'fulfilled', value }));
    return started;
  };
  const loaded = (): Promise<ComponentType<object> | undefined> => {
    loading ??= start();
    return loading;
  };
  const preload = async (): Promise<void> => {
    if (missing !== undefined) forget();
    await loaded();
  };
  function LazyPage(props: object): ReactNode {
    const Loaded = use(loaded());
    if (Loaded === undefined) throw missing;
    return <Loaded {...props} />;
  }
  return Object.assign(LazyPage, { preload });
} as typeof lazyRouteComponent;

/** A part of a page: if it fails to load or crashes, the rest of the page stays. */
export const lazyPanel = function lazyPanel(load: () => Promise<Record<string, unknown>>, name: string) {
  const Part = lazyPage(load, name) as AsyncRouteComponent<object>;
  const LazyPanel = (props: object): ReactNode => (
    <CatchBoundary
      getResetKey={() => name}
      errorComponent={({ error, reset }) => (
        <>
          <MissingPartPanel error={error} onRetry={reset} />
          <RetryOnline error={error} onRetry={reset} />
        </>
      )}
    >
      <Part {...props} />
    </CatchBoundary>
  );
  return Object.assign(LazyPanel, { preload: Part.preload });
} as typeof lazyRouteComponent;

/**
 * A dialog that is loaded when opened. If it fails to load or crashes, a notice appears and the page stays. Dismissing
 * the notice calls the property `onClose`, if there is one, without arguments. There is no notice with the property `quiet`:
 * nobody has asked for this part.
 */
export const lazyDialog = function lazyDialog(load: () => Promise<Record<string, unknown>>, name: string) {
  const Part = lazyPage(load, name) as unknown as AsyncRouteComponent<object>;
  function LazyDialog(props: { onClose?: () => void; quiet?: boolean }): ReactNode {
    return (
      <CatchBoundary
        getResetKey={() => name}
        errorComponent={({ error, reset }) => (
          <>
            {props.quiet || (
              <MissingPartNotice error={error} onRetry={reset} onDismiss={props.onClose && (() => props.onClose?.())} />
            )}
            <RetryOnline error={error} onRetry={reset} />
          </>
        )}
      >
        <Suspense fallback={null}>
          <Part {...props} />
        </Suspense>
      </CatchBoundary>
    );
  }
  return Object.assign(LazyDialog, { preload: Part.preload });
} as typeof lazyRouteComponent;

/** The bundler's loader requests a style sheet only once, even if it failed: those that failed are requested again. */
async function missedStyles(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')];
  const missed = links.filter(({ sheet }) => sheet === null);
  await Promise.all(missed.map(askAgain));
}

function askAgain(link: HTMLLinkElement): Promise<void> {
  return new Promise((resolve, reject) => {
    const again = link.cloneNode() as HTMLLinkElement;
    again.addEventListener('load', () => resolve());
    again.addEventListener('error', () => reject(new Error('A style sheet failed to load.')));
    link.replaceWith(again);
  });
}
