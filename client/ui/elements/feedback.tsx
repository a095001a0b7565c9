import { type ElementType, type ReactNode, useId } from 'react';
import { CloseButton } from './button.tsx';
import classes from './feedback.module.css';
import { type ElementProps, classes as join, type PolymorphicProps, styled } from './style-props.ts';

interface AlertOwn {
  variant?: 'default' | 'light';
  /** Orange warns, red reports a failure. */
  color?: 'orange' | 'red';
  title?: ReactNode;
  icon?: ReactNode;
  /** Offers to close it, by a button with this name. */
  closeButtonLabel?: string;
  onClose?: (() => void) | undefined;
}

/** A notice in place; announced unless its role is another than `alert`. */
export function Alert(props: ElementProps<'div', AlertOwn>) {
  const { variant = 'light', color, title, icon, closeButtonLabel, onClose, children, ...rest } = props;
  const id = useId();
  return (
    <div
      role="alert"
      aria-labelledby={title ? `${id}-title` : undefined}
      aria-describedby={children ? `${id}-body` : undefined}
      {...styled(rest, join(classes.alert, classes[variant], variant === 'light' && color && classes[color]))}
    >
      {icon && <div className={classes.icon}>{icon}</div>}
      <div className={classes.body}>
        {title && (
          <div className={classes.heading} id={`${id}-title`}>
            {title}
          </div>
        )}
        {children && (
          <div className={classes.message} id={`${id}-body`}>
            {children}
          </div>
        )}
      </div>
      {onClose !== undefined && <CloseButton size="sm" aria-label={closeButtonLabel} onClick={onClose} />}
    </div>
  );
}

interface BadgeOwn {
  variant?: 'default' | 'light';
  color?: 'gray' | undefined;
  size?: 'sm' | 'md';
}

export function Badge<Tag extends ElementType = 'div'>(props: PolymorphicProps<Tag, BadgeOwn>) {
  const { component, variant = 'light', color, size = 'md', ...rest } = props as PolymorphicProps<'div', BadgeOwn>;
  const Element: ElementType = component ?? 'div';
  const own = join(
    classes.badge,
    classes[variant],
    variant === 'light' && color && classes[color],
    size === 'sm' && classes.small,
  );
  return <Element {...styled(rest, own)} />;
}

/** Where something will stand once it is read. */
export const Skeleton = ({
  height,
  width,
  ...rest
}: ElementProps<'div', { height?: number | string; width?: number | string }>) => (
  <div {...styled({ h: height, w: width, ...rest }, join(classes.skeleton))} />
);

/** A large icon in a circle. */
export const Sign = (props: ElementProps<'div'>) => <div {...styled(props, join(classes.sign, classes.light))} />;

/** @param percent undefined while it is unknown how much there is */
export function Progress({ percent, ...rest }: ElementProps<'div', { percent: number | undefined }>) {
  const shown = percent ?? 100;
  return (
    <div
      role="progressbar"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      {...styled(rest, join(classes.progress))}
    >
      <div className={classes.part} data-moving={percent === undefined || undefined} style={{ width: `${shown}%` }} />
    </div>
  );
}
