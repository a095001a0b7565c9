/** How many places to go back to are remembered. */
const REMEMBERED = 30;

/**
 * Never leaves the focus on the page itself when what has it is removed: a dialog that closes, a row that was opened, a
 * heading that its page redraws. The focus goes back to the latest place of this page that still stands, through the
 * menu whose item had it, else to the page's heading, as soon as there is one. Where somebody lets go of the focus, by
 * a click beside everything, it is not brought back.
 * @returns ends it
 */
export function keepFocus(): () => void {
  let path = location.pathname;
  let trail: HTMLElement[] = [];
  let holder: HTMLElement | undefined;

  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    holder = target;
    if (location.pathname !== path) trail = [];
    path = location.pathname;
    trail = [...trail.filter((place) => place !== target), target].slice(-REMEMBERED);
  };
  const onBlur = ({ target, relatedTarget }: FocusEvent): void => {
    // Some browsers tell of a removal as well, and still before it.
    if (relatedTarget === null) queueMicrotask(() => (target as HTMLElement).isConnected && release(target));
  };
  const release = (from: EventTarget | null): void => {
    if (holder === from && document.hasFocus() && !isDisabled(holder)) holder = undefined;
  };
  const onChange = (): void => {
    if (holder === undefined || document.activeElement !== document.body) return;
    if (holder.isConnected && !isDisabled(holder)) return;
    const before = location.pathname === path ? trail.toReversed().map(standIn).find(canTakeFocus) : undefined;
    (before ?? document.querySelector<HTMLElement>('[data-page-heading]'))?.focus({ preventScroll: true });
  };

  const observer = new MutationObserver(onChange);
  observer.observe(document.body, { childList: true, subtree: true });
  addEventListener('focusin', onFocus);
  addEventListener('focusout', onBlur);
  return () => {
    observer.disconnect();
    removeEventListener('focusin', onFocus);
    removeEventListener('focusout', onBlur);
  };
}

/** The item of a menu goes with the menu, whose button stays. */
function standIn(place: HTMLElement): HTMLElement {
  const button = place.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (button && document.getElementById(button)) || place;
}

const isDisabled = (element: HTMLElement | undefined): boolean => element?.matches(':disabled') ?? false;

const canTakeFocus = (place: HTMLElement): boolean =>
  place.isConnected && !isDisabled(place) && place.checkVisibility({ visibilityProperty: true });
