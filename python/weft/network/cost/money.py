"""Money of one currency and year; other money is converted as the user states, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from weft.base.errors import RequestError
from weft.network.cost.prices import UnitPrice


@dataclass(frozen=True)
class Terms:
    """The currency and year of a bill as stated by the user, and how other money is converted."""

    currency: str | None = None
    year: int | None = None
    rates: Mapping[str, float] = field(default_factory=dict)
    """By other currency: the value of one unit in `currency`, in the year of its price."""
    inflation_pct: float | None = None
    """Inflation of `currency` in each year between that of a price and `year`."""


@dataclass(frozen=True)
class Money:
    """The currency and year of a bill."""

    currency: str
    year: int
    terms: Terms

    def of(self, value: float, price: UnitPrice) -> float:
        """Convert an amount in the terms of a price."""
        return value * self._rate(price.currency) * self._growth(price.year)

    def said(self, prices: Iterable[UnitPrice]) -> list[str]:
        """How prices were converted; empty if none were."""
        known = list(prices)
        currencies = sorted({one.currency for one in known} - {self.currency})
        years = sorted({one.year for one in known} - {self.year})
        of_year = " in the year of its price" if currencies and years else ""
        rates = [
            f"1 {one} is {self.terms.rates[one]:g} {self.currency}{of_year}" for one in currencies
        ]
        growth = [
            f"{self.terms.inflation_pct:g} % a year of {self.currency} from {one} to {self.year}"
            for one in years
        ]
        return rates + growth

    def _rate(self, currency: str) -> float:
        return 1.0 if currency == self.currency else self.terms.rates[currency]

    def _growth(self, year: int) -> float:
        if year == self.year:
            return 1.0
        assert self.terms.inflation_pct is not None, "settle refuses other years without it"
        return float((1 + self.terms.inflation_pct / 100) ** (self.year - year))


def settle(prices: Iterable[UnitPrice], terms: Terms) -> Money:
    """The currency and year of a bill; raises RequestError if prices differ in these and the terms do not tell how to
    convert them."""
    known = list(prices)
    _check(terms)
    currencies = sorted({one.currency for one in known})
    years = sorted({one.year for one in known})
    currency = terms.currency or _only_currency(currencies)
    without = [one for one in currencies if one != currency and one not in terms.rates]
    if without:
        raise RequestError(
            f"prices in {', '.join(without)}, and no rate to {currency}",
            f"give --rate {without[0]}=X, where 1 {without[0]} is X {currency}",
        )
    return Money(currency, _year(years, terms), terms)


def _only_currency(currencies: list[str]) -> str:
    if len(currencies) > 1:
        raise RequestError(
            f"prices in {' and '.join(currencies)} cannot be added",
            f"give --currency {currencies[0]} --rate {currencies[1]}=X, where 1 {currencies[1]} is X {currencies[0]}",
        )
    return currencies[0]


def _year(years: list[int], terms: Terms) -> int:
    if terms.year is None and len(years) > 1:
        raise RequestError(
            f"prices of {' and '.join(map(str, years))} cannot be added",
            f"give --year {years[-1]} --inflation X, in percent for each year",
        )
    year = years[-1] if terms.year is None else terms.year
    others = [one for one in years if one != year]
    if others and terms.inflation_pct is None:
        raise RequestError(
            f"prices of {' and '.join(map(str, others))}, and nothing says what they are in {year}",
            "give --inflation X, in percent for each year",
        )
    return year


def _check(terms: Terms) -> None:
    if terms.rates and terms.currency is None:
        raise RequestError("--rate converts to a currency, and none is given", "add --currency USD")
    if terms.inflation_pct is not None:
        if terms.year is None:
            raise RequestError(
                "--inflation converts to a year, and none is given", "add --year 2026"
            )
        if not -50 <= terms.inflation_pct <= 1000:
            raise RequestError(
                f"--inflation {terms.inflation_pct:g}: must be from -50 to 1000 percent a year"
            )
    for currency, rate in terms.rates.items():
        if currency == terms.currency:
            raise RequestError(f"--rate {currency}={rate:g}: that is the currency to count in")
        if not 0 < rate < 1e9:
            raise RequestError(f"--rate {currency}={rate:g}: must be more than 0")


def read_rates(texts: Iterable[str]) -> dict[str, float]:
    """Parse exchange rates such as EUR=1.1; raises RequestError."""
    rates = {}
    for text in texts:
        currency, equals, number = text.partition("=")
        try:
            rates[currency.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals or not currency.strip():
            raise RequestError(f"--rate {text}: not CURRENCY=NUMBER", "for example --rate EUR=1.1")
    return rates
