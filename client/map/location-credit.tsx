import classes from './location-credit.module.css';

/** Whose places these are: a condition of their licence (CC BY 4.0). */
export const LocationCredit = () => (
  <a className={classes.credit} href="https://db-ip.com" rel="noreferrer" target="_blank">
    IP Geolocation by DB-IP
  </a>
);
